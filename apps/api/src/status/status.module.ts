import { Module } from '@nestjs/common';
import { JobQueueModule, WorkerRegistryModule } from '@app/jobs';
import { HealthModule } from '../health/health.module.js';
import { ServiceStatusService } from './service-status.service.js';
import { StatusController } from './status.controller.js';

/** `/v1/status`: what the page of an operator shows. */
@Module({
  imports: [HealthModule, JobQueueModule, WorkerRegistryModule],
  controllers: [StatusController],
  providers: [ServiceStatusService],
})
export class StatusModule {}
