import { type DynamicModule, Module } from '@nestjs/common';
import { Env } from '@app/config';
import { MetricsAddress, MetricsServer } from './metrics-server.js';
import { MetricsModule } from './metrics.module.js';

/** Serves the registry; imported once by an app. What only counts needs no port. */
@Module({})
export class MetricsServerModule {
  static on(variable: MetricsAddress['variable']): DynamicModule {
    return {
      module: MetricsServerModule,
      imports: [MetricsModule],
      providers: [
        MetricsServer,
        {
          provide: MetricsAddress,
          inject: [Env],
          useFactory: (env: Env) => new MetricsAddress(variable, env.METRICS_HOST, env[variable]),
        },
      ],
    };
  }
}
