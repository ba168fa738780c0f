import { Module } from '@nestjs/common';
import { ApiMetricsModule } from '../metrics/api-metrics.module.js';
import { RecordEvents } from './record-events.service.js';
import { Serving } from './serving.js';

/** How answers come and go, those too that last. */
@Module({ imports: [ApiMetricsModule], providers: [RecordEvents, Serving], exports: [RecordEvents, Serving] })
export class ServingModule {}
