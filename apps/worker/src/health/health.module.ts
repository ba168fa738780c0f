import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseModule } from '@app/database';
import { FiltersModule } from '@app/filters';
import { JobQueueModule, WorkerRegistryModule } from '@app/jobs';
import { OutboundModule } from '@app/outbound';
import { StorageModule } from '@app/storage';
import { CapturesModule } from '../captures/captures.module.js';
import { BrowserWatchService } from './browser-watch.service.js';
import { EventLoopService } from './event-loop.service.js';
import { FilterMetrics } from '../metrics/filter.metrics.js';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';
import { HealthController } from './health.controller.js';
import { HeartbeatService } from './heartbeat.service.js';
import { WorkerHealthService } from './worker-health.service.js';
import { WorkerVitalsService } from './worker-vitals.service.js';

@Module({
  imports: [
    CapturesModule,
    DatabaseModule,
    FiltersModule,
    JobQueueModule,
    OutboundModule,
    StorageModule,
    TerminusModule.forRoot({ errorLogStyle: 'json', logger: false }),
    WorkerMetricsModule,
    WorkerRegistryModule,
  ],
  controllers: [HealthController],
  providers: [
    BrowserWatchService,
    EventLoopService,
    FilterMetrics,
    HeartbeatService,
    WorkerHealthService,
    WorkerVitalsService,
  ],
})
export class HealthModule {}
