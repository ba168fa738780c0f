import { type DynamicModule, Module } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { ConfigModule, type Env } from '@app/config';
import { DatabaseModule } from '@app/database';
import { MetricsServerModule } from '@app/metrics';
import { loggerOptions } from '@app/process';
import { CapturesModule } from './captures/captures.module.js';
import { HealthModule } from './health/health.module.js';
import { UpkeepModule } from './upkeep/upkeep.module.js';
import { WebhookSenderModule } from './webhooks/webhook-sender.module.js';

/** The worker: runs captures, tells of their ends, and keeps rows and files in order. It serves nothing but its probes. */
@Module({})
export class WorkerModule {
  static of(env: Env): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.of(env),
        LoggerModule.forRoot({ pinoHttp: { ...loggerOptions(env, 'worker'), autoLogging: false } }),
        DatabaseModule.connect('capture-worker'),
        CapturesModule,
        UpkeepModule,
        WebhookSenderModule,
        HealthModule,
        MetricsServerModule.on('WORKER_METRICS_PORT'),
      ],
    };
  }
}
