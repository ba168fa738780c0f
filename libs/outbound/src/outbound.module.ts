import { Module } from '@nestjs/common';
import { Env } from '@app/config';
import { EgressGuard } from './egress-guard.js';
import { readEgressPolicy } from './egress-policy.js';
import { GuardedFetch } from './guarded-fetch.js';
import { EgressProxies } from './proxy/egress-proxies.js';
import { Resolver, SystemResolver } from './resolver.js';

/** Gives the guard of the environment, and proxies and a client behind it; a list that cannot be read stops the process at boot. */
@Module({
  providers: [
    {
      provide: EgressGuard,
      inject: [Env],
      useFactory: (env: Env) => new EgressGuard(readEgressPolicy(env)),
    },
    { provide: Resolver, useClass: SystemResolver },
    EgressProxies,
    GuardedFetch,
  ],
  exports: [EgressGuard, EgressProxies, GuardedFetch],
})
export class OutboundModule {}
