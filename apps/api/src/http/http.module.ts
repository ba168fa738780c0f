import { Module } from '@nestjs/common';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { CallerModule } from './auth/caller.module.js';
import { DrainService } from './drain.service.js';
import { RecordEventsService } from './events/record-events.service.js';

/** Long-lived responses: streams of events, and the end of all responses at shutdown. */
@Module({
  imports: [ApiMetricsModule, CallerModule],
  providers: [DrainService, RecordEventsService],
  exports: [DrainService, RecordEventsService],
})
export class HttpModule {}
