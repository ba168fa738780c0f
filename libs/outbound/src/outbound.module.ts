import { Module } from '@nestjs/common';
import { Env } from '@app/config';
import { EgressGuard } from './egress-guard.js';
import { readEgressPolicy } from './egress-policy.js';

/** Gives the `EgressGuard` of the environment; a list that cannot be read stops the process at boot. */
@Module({
  providers: [
    {
      provide: EgressGuard,
      inject: [Env],
      useFactory: (env: Env) => new EgressGuard(readEgressPolicy(env)),
    },
  ],
  exports: [EgressGuard],
})
export class OutboundModule {}
