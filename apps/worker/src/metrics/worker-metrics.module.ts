import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { JobCacheModule } from '@app/jobs';
import { MetricsModule } from '@app/metrics';
import { WebhookSecretsModule } from '@app/webhooks';
import { CaptureMetrics } from './capture.metrics.js';
import { DatabaseMetrics } from './database.metrics.js';
import { UpkeepMetrics } from './upkeep.metrics.js';
import { WebhookMetrics } from './webhook.metrics.js';

/** The metrics of a worker. */
@Module({
  imports: [DatabaseModule, JobCacheModule, MetricsModule, WebhookSecretsModule],
  providers: [CaptureMetrics, DatabaseMetrics, UpkeepMetrics, WebhookMetrics],
  exports: [MetricsModule, CaptureMetrics, UpkeepMetrics, WebhookMetrics],
})
export class WorkerMetricsModule {}
