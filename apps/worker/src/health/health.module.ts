import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseModule } from '@app/database';
import { JobsModule } from '@app/jobs';
import { StorageModule } from '@app/storage';
import { CapturesModule } from '../captures/captures.module.js';
import { BrowserWatch } from './browser-watch.js';
import { EventLoop } from './event-loop.js';
import { HealthController } from './health.controller.js';
import { Presence } from './presence.service.js';
import { WorkerHealth } from './worker-health.js';
import { WorkerVitals } from './worker-vitals.js';

@Module({
  imports: [
    CapturesModule,
    DatabaseModule,
    JobsModule,
    StorageModule,
    TerminusModule.forRoot({ errorLogStyle: 'json', logger: false }),
  ],
  controllers: [HealthController],
  providers: [BrowserWatch, EventLoop, Presence, WorkerHealth, WorkerVitals],
})
export class HealthModule {}
