import { Module, RequestMethod, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { AuditModule } from '@app/audit';
import { AuthModule } from '@app/auth';
import { BulkModule } from '@app/bulk';
import { DatabaseModule } from '@app/database';
import { HealthHistoryModule } from '@app/health';
import {
  IdempotencyKeyModule,
  JobAcceptanceModule,
  JobHistoryModule,
  JobQueueModule,
  WorkerRegistryModule,
} from '@app/jobs';
import { UsageModule } from '@app/usage';
import { BatchRoutesModule } from '../bulk/batch-routes.module.js';
import { WebhookRoutesModule } from '../webhooks/webhook-routes.module.js';
import { AccountAdministrationService } from './account-administration.service.js';
import { AdminAccountsController } from './admin-accounts.controller.js';
import { AdminKeysController } from './admin-keys.controller.js';
import { AdminOperationsController } from './admin-operations.controller.js';
import { AdminPortMiddleware } from './admin-port.middleware.js';
import { AdminRecordsController } from './admin-records.controller.js';
import { AdminServerService } from './admin-server.service.js';
import { BatchAdministrationService } from './batch-administration.service.js';
import { KeyAdministrationService } from './key-administration.service.js';
import { QueueAdministrationService } from './queue-administration.service.js';
import { RepeatableChangesService } from './repeatable-changes.service.js';
import { UsageExportService } from './usage-export.service.js';
import { WorkerAdministrationService } from './worker-administration.service.js';

/** `/v1/admin`: what operators manage over HTTP. */
@Module({
  imports: [
    AuditModule,
    AuthModule,
    BatchRoutesModule,
    BulkModule,
    DatabaseModule,
    HealthHistoryModule,
    IdempotencyKeyModule,
    JobAcceptanceModule,
    JobHistoryModule,
    JobQueueModule,
    UsageModule,
    WebhookRoutesModule,
    WorkerRegistryModule,
  ],
  controllers: [
    AdminAccountsController,
    AdminKeysController,
    AdminRecordsController,
    AdminOperationsController,
  ],
  providers: [
    AccountAdministrationService,
    AdminServerService,
    BatchAdministrationService,
    KeyAdministrationService,
    QueueAdministrationService,
    RepeatableChangesService,
    UsageExportService,
    WorkerAdministrationService,
  ],
})
export class AdminRoutesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(AdminPortMiddleware).forRoutes({ path: 'v1/admin/*path', method: RequestMethod.ALL });
  }
}
