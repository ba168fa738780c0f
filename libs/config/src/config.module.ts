import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from '@app/kernel';
import { Env } from './env.js';

/** Gives every provider the `Env` that main.ts loaded, and the `Clock`. The one global module. */
@Global()
@Module({})
export class ConfigModule {
  static of(env: Env): DynamicModule {
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
