import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { JobSignalsService } from './job-signals.service.js';

/** Receives the signals that processes send each other about jobs. */
@Module({
  imports: [DatabaseModule],
  providers: [JobSignalsService],
  exports: [JobSignalsService],
})
export class JobSignalsModule {}
