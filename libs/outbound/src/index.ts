/**
 * Outbound: which addresses the service may reach on behalf of a caller. Every connection to an address that a caller chose
 * passes its guard. It knows nothing of captures, and it never reveals to a client which address was refused or why.
 */
export { EgressGuard } from './egress-guard.js';
export { EgressHints } from './egress-hints.js';
export { readEgressPolicy, type AllowedPair, type EgressPolicy } from './egress-policy.js';
export type {
  DownloadOutcome,
  FetchFailure,
  FetchOutcome,
  GuardedDownload,
  GuardedRequest,
  StreamedResponse,
  StreamOutcome,
} from './guarded-client.js';
export { GuardedFetchService } from './guarded-fetch.service.js';
export { isPublic, readCidr } from './ip-ranges.js';
export { OutboundModule } from './outbound.module.js';
export { GuardedEgressProxyFactory } from './proxy/guarded-egress-proxy.factory.js';
export { EgressProxy, type EgressProxyParts, type ProxyUsage } from './proxy/egress-proxy.js';
export type { EgressLimits } from './proxy/meter.js';
export { isRefusal } from './proxy/egress-failure.js';
export type { ProxyCredential } from './proxy/proxy-clients.js';
export { NameServers } from './name-servers.js';
export { Resolver, SystemResolver, UnknownNameError } from './resolver.js';
export { NameServersAwayError, WatchedResolver } from './watched-resolver.js';
