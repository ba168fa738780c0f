import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import { AuthModule } from '@app/auth';
import { ConfigModule, type Env } from '@app/config';
import { DatabaseModule } from '@app/database';
import { JobHistoryModule, WorkerRegistryModule } from '@app/jobs';
import { MetricsServerModule } from '@app/metrics';
import { RatesModule, UsageModule } from '@app/usage';
import { AdminRoutesModule } from './admin/admin-routes.module.js';
import { BatchRoutesModule } from './bulk/batch-routes.module.js';
import { CaptureRoutesModule } from './captures/capture-routes.module.js';
import { ConsoleModule } from './console/console.module.js';
import { SignOnModule } from './console/sign-on/sign-on.module.js';
import { DevicesController } from './devices/devices.controller.js';
import { HealthModule } from './health/health.module.js';
import { ApiKeyGuard } from './http/auth/api-key.guard.js';
import { ProblemFilter } from './http/errors/problem.filter.js';
import { HttpModule } from './http/http.module.js';
import { QueryGuard } from './http/query.guard.js';
import { RateGuard } from './http/rate.guard.js';
import { requestLog } from './http/request-log.js';
import { JobRoutesModule } from './jobs/job-routes.module.js';
import { LinkRoutesModule } from './links/link-routes.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { ApiMetricsModule } from './metrics/api-metrics.module.js';
import { ErrorsController } from './openapi/errors.controller.js';
import { CrawlRoutesModule } from './crawls/crawl-routes.module.js';
import { MonitorRoutesModule } from './monitors/monitor-routes.module.js';
import { SessionRoutesModule } from './sessions/session-routes.module.js';
import { SyncRoutesModule } from './sync/sync-routes.module.js';
import { UsageController } from './usage/usage.controller.js';
import { VersionController } from './version/version.controller.js';
import { WebhookRoutesModule } from './webhooks/webhook-routes.module.js';

/** A statement that takes longer is aborted, and the response is 503. Statements of the API take milliseconds. */
const STATEMENT_TIMEOUT_MS = 9_000;

/** The API: accepts captures and answers for them. It never opens a browser. */
@Module({})
export class ApiModule {
  static forEnvironment(env: Env): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        ConfigModule.forEnvironment(env),
        LoggerModule.forRoot(requestLog(env)),
        DatabaseModule.connect('capture-api', STATEMENT_TIMEOUT_MS),
        AuthModule,
        HttpModule,
        UsageModule,
        JobHistoryModule,
        RatesModule,
        // The OpenAPI document lists the routes in this order.
        BatchRoutesModule,
        SyncRoutesModule,
        LinkRoutesModule,
        CaptureRoutesModule,
        JobRoutesModule,
        SessionRoutesModule,
        CrawlRoutesModule,
        MonitorRoutesModule,
        ...(env.CONSOLE ? [ConsoleModule] : []),
        ...(env.CONSOLE && env.OIDC_ISSUER !== undefined ? [SignOnModule] : []),
        WebhookRoutesModule,
        ...(env.ADMIN_API ? [AdminRoutesModule] : []),
        ...(env.MCP ? [McpModule] : []),
        HealthModule,
        ApiMetricsModule,
        MetricsServerModule.forAddress('METRICS_PORT'),
        WorkerRegistryModule,
      ],
      controllers: [DevicesController, ErrorsController, UsageController, VersionController],
      providers: [
        // The order matters: ApiKeyGuard finds the account whose rate RateGuard limits.
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_GUARD, useClass: RateGuard },
        { provide: APP_GUARD, useClass: QueryGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}
