import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Env, secretBoxOf } from '@app/config';
import { SecretBox } from '@app/kernel';
import { DatabaseModule } from '@app/database';
import { OutboundModule } from '@app/outbound';
import { UsageModule } from '@app/usage';
import { WebhooksModule } from '@app/webhooks';
import { AcceptingTransaction } from './acceptance/accepting-transaction.js';
import { Acceptance } from './acceptance/acceptance.service.js';
import { Intake } from './acceptance/intake.service.js';
import { NewJobs } from './acceptance/new-jobs.repository.js';
import { Attempts } from './attempts.service.js';
import { Audit } from './audit.service.js';
import { BatchRows } from './batches/batch-rows.repository.js';
import { BatchCancellation } from './batches/batch-cancellation.service.js';
import { OpenRows } from './batches/open-rows.repository.js';
import { DeletionRepository } from './deletion/deletion.repository.js';
import { JobDeletion } from './deletion/job-deletion.service.js';
import { DispatchRepository } from './dispatch/dispatch.repository.js';
import { Dispatcher } from './dispatch/dispatcher.service.js';
import { Endings } from './endings.js';
import { IdempotencyKey } from './idempotency/idempotency-key.entity.js';
import { IdempotencyKeys } from './idempotency/idempotency.repository.js';
import { Job } from './job.entity.js';
import { JobBacklog } from './job-backlog.repository.js';
import { JobRepository } from './job.repository.js';
import { JobsService } from './jobs.service.js';
import { queueConnection } from './queue/backend.js';
import { JobQueue } from './queue/job-queue.js';
import { LANE_SETTINGS, LANES } from './queue/queues.js';
import { RecoveryRepository } from './recovery.repository.js';
import { Recovery } from './recovery.service.js';
import { Reservations } from './reservations.repository.js';
import { JobCompletion } from './signals/completion.js';
import { JobSignals } from './signals/job-signals.js';
import { JobWatch } from './signals/job-watch.js';
import { WaitingLine } from './waiting-line.repository.js';
import { WorkerRegistry } from './workers/worker-registry.js';
import { WorkerRepository } from './workers/worker.repository.js';
import { WorkerRow } from './workers/worker.entity.js';

@Module({
  imports: [
    DatabaseModule,
    OutboundModule,
    UsageModule,
    WebhooksModule,
    TypeOrmModule.forFeature([IdempotencyKey, Job, WorkerRow]),
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
    AcceptingTransaction,
    Attempts,
    Audit,
    BatchRows,
    BatchCancellation,
    DeletionRepository,
    DispatchRepository,
    Dispatcher,
    Endings,
    IdempotencyKeys,
    Intake,
    JobBacklog,
    JobCompletion,
    JobDeletion,
    JobQueue,
    JobRepository,
    JobSignals,
    JobsService,
    JobWatch,
    NewJobs,
    OpenRows,
    Recovery,
    RecoveryRepository,
    Reservations,
    WaitingLine,
    WorkerRegistry,
    WorkerRepository,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [
    AcceptingTransaction,
    Attempts,
    Audit,
    BatchRows,
    BatchCancellation,
    Dispatcher,
    IdempotencyKeys,
    JobBacklog,
    JobDeletion,
    JobQueue,
    JobRepository,
    JobSignals,
    JobsService,
    JobWatch,
    Recovery,
    WaitingLine,
    WorkerRegistry,
  ],
})
export class JobsModule {}
