import { Module } from '@nestjs/common';
import { IdempotencyKeyModule, JobAcceptanceModule, JobsModule, LogInsModule } from '@app/jobs';
import { SessionsModule } from '@app/sessions';
import { UsageModule } from '@app/usage';
import { CaptureRoutesModule } from '../captures/capture-routes.module.js';
import { AccountSessionsService } from './account-sessions.service.js';
import { SessionEndService } from './session-end.service.js';
import { SessionsController } from './sessions.controller.js';

/** `/v1/sessions`: logging in once for many captures. */
@Module({
  imports: [
    CaptureRoutesModule,
    IdempotencyKeyModule,
    JobAcceptanceModule,
    JobsModule,
    LogInsModule,
    SessionsModule,
    UsageModule,
  ],
  controllers: [SessionsController],
  providers: [AccountSessionsService, SessionEndService],
})
export class SessionRoutesModule {}
