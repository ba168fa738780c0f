import { Env } from '@app/config';
import type { Exits } from '@app/browser';
import { EgressGuard, EgressProxy, readEgressPolicy, SystemResolver } from '@app/outbound';

/** Lets through to every port of this machine, as the sites of a test do not know theirs ahead. */
class LoopbackGuard extends EgressGuard {
  override isAllowedTarget(): boolean {
    return true;
  }

  override isAllowedAddress(ip: string): boolean {
    return ip.startsWith('127.') || ip === '::1';
  }
}

/** Exits for browsers whose specs are about something else: the real proxy, open to loopback and to nothing else. */
export function loopbackExits(): Exits {
  const guard = new LoopbackGuard(readEgressPolicy(new Env()));
  const limits = { requests: 10_000, connections: 1_000, bytes: 1e9 };
  return { open: () => EgressProxy.listen({ guard, resolver: new SystemResolver(), limits }) };
}
