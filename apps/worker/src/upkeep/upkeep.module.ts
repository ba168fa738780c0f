import { Module } from '@nestjs/common';
import { BatchUpkeepModule } from '@app/bulk';
import { DatabaseModule } from '@app/database';
import {
  IdempotencyKeyModule,
  JobDispatchModule,
  JobExpiryModule,
  JobHistoryModule,
  JobSignalsModule,
  JobUpkeepModule,
  WorkerRegistryModule,
} from '@app/jobs';
import { StorageModule } from '@app/storage';
import { UsageModule } from '@app/usage';
import { WebhooksModule } from '@app/webhooks';
import { CaptureFilesService } from '../captures/capture-files.service.js';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';
import { Accounting } from './accounting.service.js';
import { Announcing } from './announcing.service.js';
import { BatchRecordExpiry } from './batch-record-expiry.js';
import { Dispatching } from './dispatching.service.js';
import { Expiry } from './expiry.service.js';
import { FileExpiry } from './file-expiry.js';
import { RecordExpiry } from './record-expiry.js';
import { Reconciler } from './reconciler.service.js';
import { Statistics } from './statistics.service.js';

/** Work that no caller asks for: dispatching, mending, accounting, announcing, expiring, summing up. */
@Module({
  imports: [
    BatchUpkeepModule,
    DatabaseModule,
    IdempotencyKeyModule,
    JobDispatchModule,
    JobExpiryModule,
    JobHistoryModule,
    JobSignalsModule,
    JobUpkeepModule,
    StorageModule,
    UsageModule,
    WebhooksModule,
    WorkerMetricsModule,
    WorkerRegistryModule,
  ],
  providers: [
    Accounting,
    Announcing,
    BatchRecordExpiry,
    CaptureFilesService,
    Dispatching,
    Expiry,
    FileExpiry,
    Reconciler,
    RecordExpiry,
    Statistics,
  ],
})
export class UpkeepModule {}
