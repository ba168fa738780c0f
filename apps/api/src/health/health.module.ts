import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseModule } from '@app/database';
import { JobQueueModule, WorkerRegistryModule } from '@app/jobs';
import { StorageModule } from '@app/storage';
import { CapturesModule } from '../captures/captures.module.js';
import { DrainService } from '../http/drain.service.js';
import { ServingModule } from '../http/serving.module.js';
import { HealthController } from './health.controller.js';
import { ProbesController } from './probes.controller.js';
import { ServiceHealthService } from './service-health.service.js';

@Module({
  imports: [
    CapturesModule,
    DatabaseModule,
    JobQueueModule,
    ServingModule,
    StorageModule,
    TerminusModule.forRoot({ errorLogStyle: 'json', logger: false }),
    WorkerRegistryModule,
  ],
  controllers: [HealthController, ProbesController],
  providers: [DrainService, ServiceHealthService],
})
export class HealthModule {}
