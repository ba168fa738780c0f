import { Env } from '@app/config';
import {
  EgressGuard,
  type EgressLimits,
  EgressProxy,
  type ProxyCredential,
  readEgressPolicy,
  SystemResolver,
} from '@app/outbound';

/** Lets through to every port of this machine, as the sites of a test do not know theirs ahead. */
class LoopbackGuard extends EgressGuard {
  override isAllowedTarget(): boolean {
    return true;
  }

  override isAllowedAddress(ip: string): boolean {
    return ip.startsWith('127.') || ip === '::1';
  }
}

const LIMITS = { requests: 10_000, connections: 1_000, bytes: 1e9 };

/** Exits for browsers whose specs are about something else: the real proxy, open to loopback and to nothing else. */
export function loopbackEgress(limits: EgressLimits = LIMITS): { open(): Promise<EgressProxy> } {
  const guard = new LoopbackGuard(readEgressPolicy(new Env()));
  return { open: () => EgressProxy.listen({ guard, resolver: new SystemResolver(), limits }) };
}

/** What the browser context of a proxy sends as `Proxy-Authorization`. */
export function authorizationOf({ username, password }: ProxyCredential): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
