import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseModule } from '@app/database';
import { JobsModule } from '@app/jobs';
import { StorageModule } from '@app/storage';
import { CapturesModule } from '../captures/captures.module.js';
import { HealthController } from './health.controller.js';
import { Presence } from './presence.service.js';
import { WorkerHealth } from './worker-health.js';

@Module({
  imports: [
    CapturesModule,
    DatabaseModule,
    JobsModule,
    StorageModule,
    TerminusModule.forRoot({ errorLogStyle: 'json', logger: false }),
  ],
  controllers: [HealthController],
  providers: [Presence, WorkerHealth],
})
export class HealthModule {}
