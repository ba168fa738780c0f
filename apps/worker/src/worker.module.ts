import { type DynamicModule, Module } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { SECRET_OPTIONS } from '@app/capture';
import { ConfigModule, type Env } from '@app/config';
import { DatabaseModule } from '@app/database';
import { MetricsServerModule } from '@app/metrics';
import { loggerOptions } from '@app/process';
import { CapturesModule } from './captures/captures.module.js';
import { HealthModule } from './health/health.module.js';
import { UpkeepModule } from './upkeep/upkeep.module.js';
import { WebhookSenderModule } from './webhooks/webhook-sender.module.js';

/** The worker: runs captures, sends webhooks, and does the upkeep of rows and files. It serves only its probes and metrics. */
@Module({})
export class WorkerModule {
  static forEnvironment(env: Env): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.forEnvironment(env),
        LoggerModule.forRoot({
          pinoHttp: { ...loggerOptions(env, 'worker', SECRET_OPTIONS), autoLogging: false },
        }),
        DatabaseModule.connect('capture-worker'),
        CapturesModule,
        UpkeepModule,
        WebhookSenderModule,
        HealthModule,
        MetricsServerModule.forAddress('WORKER_METRICS_PORT'),
      ],
    };
  }
}
