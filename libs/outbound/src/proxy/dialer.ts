import net from 'node:net';
import { unlessAborted, withTimeout } from '@app/kernel';
import type { EgressGuard } from '../egress-guard.js';
import { readAddress } from '../ip-ranges.js';
import type { Resolver } from '../resolver.js';
import { Outage } from './outage.js';

/** A name server that is silent for longer counts as one that does not know. */
const RESOLVE_TIMEOUT_MS = 5_000;
/** For all addresses of a host together; each gets an equal share of what is left. */
const DIAL_TIMEOUT_MS = 10_000;
/** A name with hundreds of addresses would turn one request into a scan of them. */
const MAX_DIALLED = 4;
/** No name of the DNS is longer (RFC 1035, 2.3.4). */
const MAX_NAME_LENGTH = 254;

/**
 * Opens connections to public addresses only. A name is resolved once, every address it has is held against the
 * guard, and what is dialled is a checked address: a name server that answers differently the second time (DNS
 * rebinding) is not asked a second time.
 */
export class Dialer {
  private readonly resolved = new Map<string, Promise<string[]>>();

  constructor(
    private readonly guard: EgressGuard,
    private readonly resolver: Resolver,
    /** Gives up what is being dialled, and ends what was. */
    private readonly closing: AbortSignal,
  ) {}

  /** @throws Outage */
  async dial(host: string, port: number): Promise<net.Socket> {
    const addresses = (await this.addressesOf(host, port)).slice(0, MAX_DIALLED);
    const until = performance.now() + DIAL_TIMEOUT_MS;
    let failure = new Outage('refused');
    for (const [i, address] of addresses.entries()) {
      if (this.closing.aborted) break;
      const timeoutMs = Math.max(1, Math.ceil((until - performance.now()) / (addresses.length - i)));
      try {
        return await this.connect(address, port, timeoutMs);
      } catch (error) {
        failure = Outage.from(error);
      }
    }
    throw failure;
  }

  private async addressesOf(host: string, port: number): Promise<string[]> {
    if (host.length > MAX_NAME_LENGTH) throw new Outage('dns');
    if (!this.guard.isAllowedTarget(host, port)) throw new Outage('forbidden');
    const addresses = readAddress(host) ? [host] : await this.resolve(host);
    // All of them: a name with one good address and one bad is somebody's attempt, not somebody's site.
    const allowed = addresses.every((address) => this.guard.isAllowedAddress(address, port, host));
    if (!allowed) throw new Outage('forbidden');
    return addresses;
  }

  private resolve(host: string): Promise<string[]> {
    const known = this.resolved.get(host);
    if (known) return known;
    const resolving = this.resolveInTime(host).then((addresses) => {
      if (addresses.length === 0) throw new Outage('dns');
      return addresses;
    });
    this.resolved.set(host, resolving);
    return resolving;
  }

  private connect(address: string, port: number, timeoutMs: number): Promise<net.Socket> {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ host: address, port, noDelay: true, signal: this.closing });
      const giveUp = (): void => {
        socket.destroy(new Outage('timeout'));
      };
      socket.setTimeout(timeoutMs, giveUp);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.setTimeout(0, giveUp).off('error', reject);
        resolve(socket);
      });
    });
  }

  /** @throws Outage `dns` when the name cannot be resolved, or not in time */
  private async resolveInTime(host: string): Promise<string[]> {
    try {
      const resolving = unlessAborted(this.resolver.resolve(host), this.closing);
      return await withTimeout(resolving, RESOLVE_TIMEOUT_MS, 'resolving a name');
    } catch (error) {
      throw new Outage('dns', error);
    }
  }
}
