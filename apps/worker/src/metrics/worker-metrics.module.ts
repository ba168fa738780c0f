import { Module } from '@nestjs/common';
import { JobCacheModule } from '@app/jobs';
import { MetricsModule } from '@app/metrics';
import { CaptureMetrics } from './capture.metrics.js';
import { UpkeepMetrics } from './upkeep.metrics.js';
import { WebhookMetrics } from './webhook.metrics.js';

/** The metrics of a worker. */
@Module({
  imports: [JobCacheModule, MetricsModule],
  providers: [CaptureMetrics, UpkeepMetrics, WebhookMetrics],
  exports: [MetricsModule, CaptureMetrics, UpkeepMetrics, WebhookMetrics],
})
export class WorkerMetricsModule {}
