import { Module } from '@nestjs/common';
import { AuthModule } from '@app/auth';
import { DatabaseModule } from '@app/database';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { AuthThrottleService } from './auth/auth-throttle.service.js';
import { CallerService } from './auth/caller.service.js';
import { ClientOriginService } from './auth/client-origin.service.js';
import { KeyChangesService } from './auth/key-changes.service.js';
import { DrainService } from './drain.service.js';
import { RecordEventsService } from './events/record-events.service.js';

/** The callers of requests, the throttle of those with invalid keys or links, streams of events, and the end of all responses at shutdown. */
@Module({
  imports: [ApiMetricsModule, AuthModule, DatabaseModule],
  providers: [
    AuthThrottleService,
    CallerService,
    ClientOriginService,
    DrainService,
    KeyChangesService,
    RecordEventsService,
  ],
  exports: [AuthThrottleService, CallerService, ClientOriginService, DrainService, RecordEventsService],
})
export class HttpModule {}
