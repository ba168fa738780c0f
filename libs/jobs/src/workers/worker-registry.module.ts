import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EngineVersionsService } from './engine-versions.service.js';
import { WorkerHeartbeat } from './worker-heartbeat.entity.js';
import { WorkerHeartbeatRepository } from './worker-heartbeat.repository.js';
import { WorkerRegistryService } from './worker-registry.service.js';

/** The workers that are alive: they report themselves, the dispatcher and the API read them. */
@Module({
  imports: [TypeOrmModule.forFeature([WorkerHeartbeat])],
  providers: [EngineVersionsService, WorkerHeartbeatRepository, WorkerRegistryService],
  exports: [EngineVersionsService, WorkerRegistryService],
})
export class WorkerRegistryModule {}
