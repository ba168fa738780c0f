import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { OutboundModule } from '@app/outbound';
import { SessionsModule } from '@app/sessions';
import { UsageModule } from '@app/usage';
import { WebhooksModule } from '@app/webhooks';
import { JobCacheModule } from '../cache/job-cache.module.js';
import { SyncCacheService } from '../cache/sync-cache.service.js';
import { JobModule } from '../job/job.module.js';
import { JobSignalsModule } from '../signals/job-signals.module.js';
import { WorkerRegistryModule } from '../workers/worker-registry.module.js';
import { AccountRoomService } from './account-room.service.js';
import { AcceptanceTransactionService } from './acceptance-transaction.service.js';
import { IdempotencyKeyModule } from './idempotency-key.module.js';
import { IntakeService } from './intake.service.js';
import { KeptCapturesRepository } from './kept-captures.repository.js';
import { NewJobFactory } from './new-job.factory.js';
import { NewJobRepository } from './new-job.repository.js';

const EXPORTED = [
  AcceptanceTransactionService,
  AccountRoomService,
  IntakeService,
  NewJobFactory,
  SyncCacheService,
];

/** Makes and stores jobs, in the transaction that accepts them; for whatever asks for a job, be it a caller or a session. */
@Module({
  imports: [
    DatabaseModule,
    IdempotencyKeyModule,
    JobCacheModule,
    JobModule,
    JobSignalsModule,
    OutboundModule,
    SessionsModule,
    UsageModule,
    WebhooksModule,
    WorkerRegistryModule,
  ],
  providers: [...EXPORTED, KeptCapturesRepository, NewJobRepository],
  exports: EXPORTED,
})
export class JobIntakeModule {}
