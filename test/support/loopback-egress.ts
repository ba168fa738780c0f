import { Env } from '@app/config';
import {
  EgressGuard,
  type EgressLimits,
  EgressProxy,
  type ProxyCredential,
  readEgressPolicy,
  Resolver,
  SystemResolver,
} from '@app/outbound';

/** Allows every port of loopback, because the sites of a test do not know theirs in advance. */
class LoopbackGuard extends EgressGuard {
  override isAllowedTarget(): boolean {
    return true;
  }

  override isAllowedAddress(ip: string): boolean {
    return ip.startsWith('127.') || ip === '::1';
  }
}

/** Names below `localhost` are loopback (RFC 6761, 6.3), and each is a site of its own. Not every system resolves them. */
class LocalhostResolver extends SystemResolver {
  override resolve(host: string): Promise<string[]> {
    return host.endsWith('.localhost') ? Promise.resolve(['127.0.0.1']) : super.resolve(host);
  }
}

const LIMITS = { requests: 10_000, connections: 1_000, bytes: 1e9 };

/** Resolves every name to this machine, so that pages of a test can have the addresses of other hosts. */
export class LoopbackResolver extends Resolver {
  resolve(): Promise<string[]> {
    return Promise.resolve(['127.0.0.1']);
  }
}

/** Egress proxies for specs about something else: the real proxy, which reaches loopback and nothing else. */
export function loopbackEgress(
  limits: EgressLimits = LIMITS,
  resolver: Resolver = new LocalhostResolver(),
): { open(): Promise<EgressProxy> } {
  const guard = new LoopbackGuard(readEgressPolicy(new Env()));
  return { open: () => EgressProxy.listen({ guard, resolver, limits }) };
}

/** The `Proxy-Authorization` header of the browser context that uses the proxy. */
export function authorizationOf({ username, password }: ProxyCredential): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
