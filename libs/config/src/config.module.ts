import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Env } from './env.js';

/** Gives every provider the `Env` that main.ts loaded. The one global module. */
@Global()
@Module({})
export class ConfigModule {
  static of(env: Env): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: Env, useValue: env }], exports: [Env] };
  }
}
