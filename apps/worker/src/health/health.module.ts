import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseModule } from '@app/database';
import { JobQueueModule, WorkerRegistryModule } from '@app/jobs';
import { StorageModule } from '@app/storage';
import { CapturesModule } from '../captures/captures.module.js';
import { BrowserWatchService } from './browser-watch.service.js';
import { EventLoopService } from './event-loop.service.js';
import { HealthController } from './health.controller.js';
import { HeartbeatService } from './heartbeat.service.js';
import { WorkerHealthService } from './worker-health.service.js';
import { WorkerVitalsService } from './worker-vitals.service.js';

@Module({
  imports: [
    CapturesModule,
    DatabaseModule,
    JobQueueModule,
    StorageModule,
    TerminusModule.forRoot({ errorLogStyle: 'json', logger: false }),
    WorkerRegistryModule,
  ],
  controllers: [HealthController],
  providers: [
    BrowserWatchService,
    EventLoopService,
    HeartbeatService,
    WorkerHealthService,
    WorkerVitalsService,
  ],
})
export class HealthModule {}
