import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { BrowserPoolService } from './browser-pool.service.js';

/** Provides `BrowserPoolService`, which starts before the app and closes after the worker has drained. */
@Module({})
export class BrowserModule {
  /** `egressModule` exports an `EgressProxyFactory`. */
  static withEgress(egressModule: Type): DynamicModule {
    return {
      module: BrowserModule,
      imports: [egressModule],
      providers: [BrowserPoolService],
      exports: [BrowserPoolService],
    };
  }
}
