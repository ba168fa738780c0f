import { Logger, Module } from '@nestjs/common';
import { Env } from '@app/config';
import { EgressGuard } from './egress-guard.js';
import { EgressHints } from './egress-hints.js';
import { readEgressPolicy } from './egress-policy.js';
import { GuardedFetchService } from './guarded-fetch.service.js';
import { GuardedEgressProxyFactory } from './proxy/guarded-egress-proxy.factory.js';
import { NameServers } from './name-servers.js';
import { Resolver, SystemResolver } from './resolver.js';
import { WatchedResolver } from './watched-resolver.js';

/** Provides the guard that the environment configures, and proxies and a client behind it. An invalid setting stops the start. */
@Module({
  providers: [
    { provide: EgressHints, useFactory: hintsOf },
    {
      provide: EgressGuard,
      inject: [Env, EgressHints],
      useFactory: (env: Env, hints: EgressHints) => new EgressGuard(readEgressPolicy(env), hints),
    },
    SystemResolver,
    { provide: NameServers, useFactory: () => new NameServers() },
    {
      provide: WatchedResolver,
      inject: [SystemResolver, NameServers],
      useFactory: (resolver: Resolver, servers: NameServers) => new WatchedResolver(resolver, servers),
    },
    { provide: Resolver, useExisting: WatchedResolver },
    GuardedEgressProxyFactory,
    GuardedFetchService,
  ],
  exports: [EgressGuard, EgressHints, GuardedEgressProxyFactory, GuardedFetchService, WatchedResolver],
})
export class OutboundModule {}

function hintsOf(): EgressHints {
  const logger = new Logger(EgressHints.name);
  return new EgressHints((line) => {
    logger.warn(line);
  });
}
