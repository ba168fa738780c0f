import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import { AuthModule } from '@app/auth';
import { ConfigModule, type Env } from '@app/config';
import { DatabaseModule } from '@app/database';
import { WorkerRegistryModule } from '@app/jobs';
import { MetricsServerModule } from '@app/metrics';
import { RatesModule, UsageModule } from '@app/usage';
import { BatchesModule } from './bulk/batches.module.js';
import { CapturesModule } from './captures/captures.module.js';
import { DevicesController } from './devices/devices.controller.js';
import { ErrorsController } from './docs/errors.controller.js';
import { HealthModule } from './health/health.module.js';
import { ApiKeyGuard } from './http/api-key.guard.js';
import { GuessLimitService } from './http/guess-limit.service.js';
import { ProblemFilter } from './http/problem.filter.js';
import { QueryGuard } from './http/query.guard.js';
import { RateGuard } from './http/rate.guard.js';
import { requestLog } from './http/request-log.js';
import { ApiMetricsModule } from './metrics/api-metrics.module.js';
import { UsageController } from './usage/usage.controller.js';
import { VersionController } from './version/version.controller.js';

/** A caller waits for no statement longer than this: the answer then is 503. Statements of the API take milliseconds. */
const SILENCE_MS = 9_000;

/** The API: accepts, answers, and never opens a browser. */
@Module({})
export class ApiModule {
  static of(env: Env): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        ConfigModule.of(env),
        LoggerModule.forRoot(requestLog(env)),
        DatabaseModule.connect('capture-api', SILENCE_MS),
        AuthModule,
        UsageModule,
        RatesModule,
        BatchesModule,
        CapturesModule,
        HealthModule,
        ApiMetricsModule,
        MetricsServerModule.on('METRICS_PORT'),
        WorkerRegistryModule,
      ],
      controllers: [DevicesController, ErrorsController, UsageController, VersionController],
      providers: [
        GuessLimitService,
        // In this order: what a request may do is asked of the account that its key belongs to.
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_GUARD, useClass: RateGuard },
        { provide: APP_GUARD, useClass: QueryGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}
