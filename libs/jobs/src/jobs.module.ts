import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Env } from '@app/config';
import { StartupError } from '@app/kernel';
import { DatabaseModule } from '@app/database';
import { OutboundModule } from '@app/outbound';
import { UsageModule } from '@app/usage';
import { Acceptance } from './acceptance.js';
import { Attempts } from './attempts.service.js';
import { Job } from './job.entity.js';
import { JobRepository } from './job.repository.js';
import { JobsService } from './jobs.service.js';
import { queueConnection } from './queue/backend.js';
import { JobQueue } from './queue/job-queue.js';
import { LANE_SETTINGS, LANES } from './queue/queues.js';
import { SecretBox } from './secret-box.js';
import { JobCompletion } from './signals/completion.js';
import { JobSignals } from './signals/job-signals.js';
import { WorkerRegistry } from './workers/worker-registry.js';
import { WorkerRepository } from './workers/worker.repository.js';
import { WorkerRow } from './workers/worker.entity.js';

@Module({
  imports: [
    DatabaseModule,
    OutboundModule,
    UsageModule,
    TypeOrmModule.forFeature([Job, WorkerRow]),
    BullModule.forRootAsync({
      inject: [Env],
      useFactory: (env: Env) => ({ connection: queueConnection(env) }),
    }),
    BullModule.registerQueue(
      ...LANES.map((name) => {
        const { worker: _, ...defaultJobOptions } = LANE_SETTINGS[name];
        return { name, defaultJobOptions };
      }),
    ),
  ],
  providers: [
    Acceptance,
    Attempts,
    JobCompletion,
    JobQueue,
    JobRepository,
    JobSignals,
    JobsService,
    WorkerRegistry,
    WorkerRepository,
    { provide: SecretBox, inject: [Env], useFactory: (env: Env) => new SecretBox(requireKey(env)) },
  ],
  exports: [Attempts, JobQueue, JobRepository, JobSignals, JobsService, WorkerRegistry],
})
export class JobsModule {}

function requireKey({ SECRETS_KEY }: Env): string {
  if (SECRETS_KEY === undefined) {
    throw new StartupError(
      'SECRETS_KEY is not set. Make one with `openssl rand -base64 32` and give it to every process.',
    );
  }
  return SECRETS_KEY;
}
