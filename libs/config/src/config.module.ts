import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from '@app/kernel';
import { Env } from './env.js';

/** The one global module: provides the `Env` that main.ts has loaded, and the `Clock`. */
@Global()
@Module({})
export class ConfigModule {
  static forEnvironment(env: Env): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: Env, useValue: env },
        { provide: Clock, useClass: SystemClock },
      ],
      exports: [Env, Clock],
    };
  }
}
