import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { Env } from '@app/config';
import { ENTRY_OPTIONS } from './bullmq-consumer.js';
import { BullmqJobQueueService } from './bullmq-job-queue.service.js';
import { JobBacklogRepository } from './job-backlog.repository.js';
import { JobQueue } from './job-queue.js';
import { LANES } from './lanes.js';
import { queueConnection } from './queue-connection.js';
import { QueueOverviewRepository } from './queue-overview.repository.js';

/** Provides the `JobQueue` of the environment, and what is known of the jobs that wait for it. */
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [Env],
      useFactory: (env: Env) => ({ connection: queueConnection(env) }),
    }),
    BullModule.registerQueue(...LANES.map((name) => ({ name, defaultJobOptions: ENTRY_OPTIONS }))),
  ],
  providers: [
    JobBacklogRepository,
    QueueOverviewRepository,
    { provide: JobQueue, useClass: BullmqJobQueueService },
  ],
  exports: [JobBacklogRepository, JobQueue, QueueOverviewRepository],
})
export class JobQueueModule {}
