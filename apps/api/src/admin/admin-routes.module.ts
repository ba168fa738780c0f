import { Module, RequestMethod, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { AuditModule } from '@app/audit';
import { AuthModule } from '@app/auth';
import { DatabaseModule } from '@app/database';
import { JobHistoryModule } from '@app/jobs';
import { UsageModule } from '@app/usage';
import { WebhookRoutesModule } from '../webhooks/webhook-routes.module.js';
import { AccountAdministrationService } from './account-administration.service.js';
import { AdminAccountsController } from './admin-accounts.controller.js';
import { AdminKeysController } from './admin-keys.controller.js';
import { AdminPortMiddleware } from './admin-port.middleware.js';
import { AdminRecordsController } from './admin-records.controller.js';
import { AdminServerService } from './admin-server.service.js';
import { KeyAdministrationService } from './key-administration.service.js';
import { UsageExportService } from './usage-export.service.js';

/** `/v1/admin`: what operators manage over HTTP. */
@Module({
  imports: [AuditModule, AuthModule, DatabaseModule, JobHistoryModule, UsageModule, WebhookRoutesModule],
  controllers: [AdminAccountsController, AdminKeysController, AdminRecordsController],
  providers: [AccountAdministrationService, AdminServerService, KeyAdministrationService, UsageExportService],
})
export class AdminRoutesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(AdminPortMiddleware).forRoutes({ path: 'v1/admin/*path', method: RequestMethod.ALL });
  }
}
