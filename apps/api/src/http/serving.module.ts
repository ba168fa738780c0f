import { Module } from '@nestjs/common';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { RecordEventsService } from './record-events.service.js';
import { ServingService } from './serving.service.js';

/** How answers come and go, those too that last. */
@Module({
  imports: [ApiMetricsModule],
  providers: [RecordEventsService, ServingService],
  exports: [RecordEventsService, ServingService],
})
export class ServingModule {}
