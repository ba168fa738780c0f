import { Module } from '@nestjs/common';
import { SigningModule } from '@app/auth';
import { DatabaseModule } from '@app/database';
import { JobQueueModule, WorkerRegistryModule } from '@app/jobs';
import { MetricsModule } from '@app/metrics';
import { StorageModule } from '@app/storage';
import { WebhookSecretsModule } from '@app/webhooks';
import { HttpModule } from '../http/http.module.js';
import { DependencyWatchService } from './dependency-watch.service.js';
import { HealthController } from './health.controller.js';
import { ProbesController } from './probes.controller.js';
import { SecretsHealthService } from './secrets-health.service.js';
import { ServiceHealthService } from './service-health.service.js';

/** `/v1/health` and the probes of orchestrators. */
@Module({
  imports: [
    DatabaseModule,
    HttpModule,
    MetricsModule,
    JobQueueModule,
    SigningModule,
    StorageModule,
    WebhookSecretsModule,
    WorkerRegistryModule,
  ],
  controllers: [HealthController, ProbesController],
  providers: [DependencyWatchService, SecretsHealthService, ServiceHealthService],
  exports: [ServiceHealthService],
})
export class HealthModule {}
