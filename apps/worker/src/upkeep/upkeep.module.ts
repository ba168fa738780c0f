import { Module } from '@nestjs/common';
import { AuditModule } from '@app/audit';
import { BatchUpkeepModule } from '@app/bulk';
import { CrawlRunningModule } from '@app/crawls';
import { DatabaseModule } from '@app/database';
import { FiltersModule } from '@app/filters';
import {
  IdempotencyKeyModule,
  JobCacheModule,
  JobDispatchModule,
  JobExpiryModule,
  JobHistoryModule,
  JobSignalsModule,
  JobUpkeepModule,
  WorkerRegistryModule,
} from '@app/jobs';
import { MonitorChecksModule } from '@app/monitors';
import { SessionsModule } from '@app/sessions';
import { StorageModule } from '@app/storage';
import { UsageModule } from '@app/usage';
import { WebhooksModule } from '@app/webhooks';
import { CaptureFilesService } from '../captures/capture-files.service.js';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';
import { AccountCapturesService } from './account-captures.service.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { AccountRowsService } from './account-rows.service.js';
import { BatchExpiryService } from './batch-expiry.service.js';
import { DispatchLoopService } from './dispatch-loop.service.js';
import { FileExpiryService } from './file-expiry.service.js';
import { PERIODIC_TASKS, type PeriodicTask } from './periodic-task.js';
import { PeriodicTasksService } from './periodic-tasks.service.js';
import { RecordExpiryService } from './record-expiry.service.js';
import { TASKS } from './tasks.js';

/** Work that no caller requests: dispatching, and the periodic tasks. */
@Module({
  imports: [
    AuditModule,
    BatchUpkeepModule,
    CrawlRunningModule,
    DatabaseModule,
    FiltersModule,
    IdempotencyKeyModule,
    JobCacheModule,
    JobDispatchModule,
    JobExpiryModule,
    JobHistoryModule,
    JobSignalsModule,
    JobUpkeepModule,
    SessionsModule,
    MonitorChecksModule,
    StorageModule,
    UsageModule,
    WebhooksModule,
    WorkerMetricsModule,
    WorkerRegistryModule,
  ],
  providers: [
    ...TASKS,
    {
      provide: PERIODIC_TASKS,
      inject: [...TASKS],
      useFactory: (...tasks: PeriodicTask[]): readonly PeriodicTask[] => tasks,
    },
    AccountCapturesService,
    AccountDeletionService,
    AccountRowsService,
    BatchExpiryService,
    CaptureFilesService,
    DispatchLoopService,
    FileExpiryService,
    PeriodicTasksService,
    RecordExpiryService,
  ],
})
export class UpkeepModule {}
