import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { BrowserPoolService } from './browser-pool.service.js';

/** Gives `BrowserPool`: started before the app is, closed after the worker has drained. */
@Module({})
export class BrowserModule {
  /** `exits` is a module that exports `Exits`. */
  static through(egressProxies: Type): DynamicModule {
    return {
      module: BrowserModule,
      imports: [egressProxies],
      providers: [BrowserPoolService],
      exports: [BrowserPoolService],
    };
  }
}
