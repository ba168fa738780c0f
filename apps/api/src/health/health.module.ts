import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseModule } from '@app/database';
import { JobQueueModule, WorkerRegistryModule } from '@app/jobs';
import { MetricsModule } from '@app/metrics';
import { StorageModule } from '@app/storage';
import { HttpModule } from '../http/http.module.js';
import { DependencyWatchService } from './dependency-watch.service.js';
import { HealthController } from './health.controller.js';
import { ProbesController } from './probes.controller.js';
import { ServiceHealthService } from './service-health.service.js';

/** `/v1/health` and the probes of orchestrators. */
@Module({
  imports: [
    DatabaseModule,
    HttpModule,
    JobQueueModule,
    MetricsModule,
    StorageModule,
    TerminusModule.forRoot({ errorLogStyle: 'json', logger: false }),
    WorkerRegistryModule,
  ],
  controllers: [HealthController, ProbesController],
  providers: [DependencyWatchService, ServiceHealthService],
  exports: [ServiceHealthService],
})
export class HealthModule {}
