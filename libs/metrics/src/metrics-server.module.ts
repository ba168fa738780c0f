import { type DynamicModule, Module } from '@nestjs/common';
import { Env } from '@app/config';
import { MetricsAddress, MetricsServerService } from './metrics-server.service.js';
import { MetricsModule } from './metrics.module.js';

/** Serves the registry; imported once by each app. Modules that only count import MetricsModule. */
@Module({})
export class MetricsServerModule {
  static forAddress(variable: MetricsAddress['variable']): DynamicModule {
    return {
      module: MetricsServerModule,
      imports: [MetricsModule],
      providers: [
        MetricsServerService,
        {
          provide: MetricsAddress,
          inject: [Env],
          useFactory: (env: Env) => new MetricsAddress(variable, env.METRICS_HOST, env[variable]),
        },
      ],
    };
  }
}
