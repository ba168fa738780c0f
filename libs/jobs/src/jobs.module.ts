import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Env, secretBoxOf } from '@app/config';
import { SecretBox } from '@app/kernel';
import { DatabaseModule } from '@app/database';
import { OutboundModule } from '@app/outbound';
import { UsageModule } from '@app/usage';
import { WebhooksModule } from '@app/webhooks';
import { AcceptanceTransactionService } from './acceptance/acceptance-transaction.service.js';
import { AcceptanceService } from './acceptance/acceptance.service.js';
import { IntakeService } from './acceptance/intake.service.js';
import { NewJobRepository } from './acceptance/new-job.repository.js';
import { AttemptsService } from './running/attempts.service.js';
import { AccountingAuditService } from './upkeep/accounting-audit.service.js';
import { BatchRowExportRepository } from './batches/batch-row-export.repository.js';
import { BatchRowQueryRepository } from './batches/batch-row-query.repository.js';
import { BatchRowRepository } from './batches/batch-row.repository.js';
import { BatchCancellationService } from './batches/batch-cancellation.service.js';
import { OpenRowRepository } from './batches/open-row.repository.js';
import { JobDeletionRepository } from './history/job-deletion.repository.js';
import { JobDeletionService } from './history/job-deletion.service.js';
import { DispatchRepository } from './dispatch/dispatch.repository.js';
import { DispatcherService } from './dispatch/dispatcher.service.js';
import { JobFinalizerService } from './running/job-finalizer.service.js';
import { IdempotencyKey } from './acceptance/idempotency-key.entity.js';
import { IdempotencyKeyRepository } from './acceptance/idempotency-key.repository.js';
import { Job } from './job/job.entity.js';
import { JobBacklogRepository } from './dispatch/job-backlog.repository.js';
import { JobRepository } from './job/job.repository.js';
import { JobsService } from './jobs.service.js';
import { queueConnection } from './queue/backend.js';
import { JobQueueService } from './queue/job-queue.service.js';
import { LANE_SETTINGS, LANES } from './queue/queues.js';
import { RecoveryRepository } from './upkeep/recovery.repository.js';
import { RecoveryService } from './upkeep/recovery.service.js';
import { ReservationRepository } from './upkeep/reservation.repository.js';
import { JobCompletionService } from './signals/job-completion.service.js';
import { JobSignalsService } from './signals/job-signals.service.js';
import { JobWatchService } from './signals/job-watch.service.js';
import { QueuePositionRepository } from './dispatch/queue-position.repository.js';
import { WorkerRegistryService } from './dispatch/worker-registry.service.js';
import { WorkerHeartbeatRepository } from './dispatch/worker-heartbeat.repository.js';
import { WorkerHeartbeat } from './dispatch/worker-heartbeat.entity.js';

@Module({
  imports: [
    DatabaseModule,
    OutboundModule,
    UsageModule,
    WebhooksModule,
    TypeOrmModule.forFeature([IdempotencyKey, Job, WorkerHeartbeat]),
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
    AcceptanceService,
    AcceptanceTransactionService,
    AttemptsService,
    AccountingAuditService,
    BatchRowExportRepository,
    BatchRowQueryRepository,
    BatchRowRepository,
    BatchCancellationService,
    JobDeletionRepository,
    DispatchRepository,
    DispatcherService,
    JobFinalizerService,
    IdempotencyKeyRepository,
    IntakeService,
    JobBacklogRepository,
    JobCompletionService,
    JobDeletionService,
    JobQueueService,
    JobRepository,
    JobSignalsService,
    JobsService,
    JobWatchService,
    NewJobRepository,
    OpenRowRepository,
    RecoveryService,
    RecoveryRepository,
    ReservationRepository,
    QueuePositionRepository,
    WorkerRegistryService,
    WorkerHeartbeatRepository,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [
    AcceptanceTransactionService,
    AttemptsService,
    AccountingAuditService,
    BatchRowExportRepository,
    BatchRowQueryRepository,
    BatchRowRepository,
    BatchCancellationService,
    DispatcherService,
    IdempotencyKeyRepository,
    JobBacklogRepository,
    JobDeletionService,
    JobQueueService,
    JobRepository,
    JobSignalsService,
    JobsService,
    JobWatchService,
    RecoveryService,
    QueuePositionRepository,
    WorkerRegistryService,
  ],
})
export class JobsModule {}
