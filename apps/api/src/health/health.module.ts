import { Module } from '@nestjs/common';
import { SigningModule } from '@app/auth';
import { DatabaseModule } from '@app/database';
import { HealthHistoryModule } from '@app/health';
import { JobQueueModule, WorkerRegistryModule } from '@app/jobs';
import { MetricsModule } from '@app/metrics';
import { StorageModule } from '@app/storage';
import { WebhookSecretsModule } from '@app/webhooks';
import { HttpModule } from '../http/http.module.js';
import { DependencyWatchService } from './dependency-watch.service.js';
import { HealthController } from './health.controller.js';
import { HealthHistoryService } from './health-history.service.js';
import { ProbesController } from './probes.controller.js';
import { SecretsHealthService } from './secrets-health.service.js';
import { ServiceHealthService } from './service-health.service.js';
import { ServiceStatusService } from './service-status.service.js';
import { StatusController } from './status.controller.js';

/** `/v1/health`, the probes of orchestrators, and `/v1/status`: what the page of an operator shows. */
@Module({
  imports: [
    DatabaseModule,
    HealthHistoryModule,
    HttpModule,
    MetricsModule,
    JobQueueModule,
    SigningModule,
    StorageModule,
    WebhookSecretsModule,
    WorkerRegistryModule,
  ],
  controllers: [HealthController, ProbesController, StatusController],
  providers: [
    DependencyWatchService,
    HealthHistoryService,
    SecretsHealthService,
    ServiceHealthService,
    ServiceStatusService,
  ],
})
export class HealthModule {}
