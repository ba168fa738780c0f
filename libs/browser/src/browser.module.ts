import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { BrowserPool } from './browser-pool.js';

/** Gives `BrowserPool`: started before the app is, closed after the worker has drained. */
@Module({})
export class BrowserModule {
  /** `exits` is a module that exports `Exits`. */
  static through(exits: Type): DynamicModule {
    return { module: BrowserModule, imports: [exits], providers: [BrowserPool], exports: [BrowserPool] };
  }
}
