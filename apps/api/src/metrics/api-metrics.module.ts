import { Module } from '@nestjs/common';
import { BulkModule } from '@app/bulk';
import { DatabaseModule } from '@app/database';
import { JobCacheModule, JobQueueModule, RunnableJobsModule, WorkerRegistryModule } from '@app/jobs';
import { MetricsModule } from '@app/metrics';
import { WebhooksModule } from '@app/webhooks';
import { BatchMetrics } from './batch.metrics.js';
import { CaptureMetrics } from './capture.metrics.js';
import { HttpMetrics } from './http.metrics.js';
import { QueueLoadService } from './queue-load.service.js';
import { ServiceMetrics } from './service.metrics.js';

/** Metrics of the API and of the whole service. */
@Module({
  imports: [
    BulkModule,
    DatabaseModule,
    JobCacheModule,
    JobQueueModule,
    MetricsModule,
    RunnableJobsModule,
    WebhooksModule,
    WorkerRegistryModule,
  ],
  providers: [BatchMetrics, CaptureMetrics, HttpMetrics, QueueLoadService, ServiceMetrics],
  exports: [BatchMetrics, CaptureMetrics, HttpMetrics],
})
export class ApiMetricsModule {}
