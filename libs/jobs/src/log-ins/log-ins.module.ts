import { Module } from '@nestjs/common';
import { SessionsModule } from '@app/sessions';
import { JobIntakeModule } from '../acceptance/job-intake.module.js';
import { JobQueueModule } from '../queue/job-queue.module.js';
import { LogInsService } from './log-ins.service.js';

/** Logs sessions in; for the API, which is asked to, and for workers, whose captures need it. */
@Module({
  imports: [JobIntakeModule, JobQueueModule, SessionsModule],
  providers: [LogInsService],
  exports: [LogInsService],
})
export class LogInsModule {}
