import net from 'node:net';
import { unlessAborted } from '@app/kernel';
import type { EgressGuard } from '../egress-guard.js';
import { readAddress } from '../ip-ranges.js';
import { UnknownNameError, type Resolver } from '../resolver.js';
import { EgressFailure } from './egress-failure.js';

/** For all addresses of a host; each gets an equal share of the remaining time. */
const DIAL_TIMEOUT_MS = 10_000;
/** A name with hundreds of addresses must not turn one request into a port scan. */
const MAX_ADDRESSES = 4;
/** The maximum length of a DNS name (RFC 1035, 2.3.4). */
const MAX_NAME_LENGTH = 254;

/**
 * Opens connections to public addresses only. It resolves a name once, checks all of its addresses and connects to a checked
 * one: a name server that would answer differently the next time (DNS rebinding) is not asked again.
 */
export class Dialer {
  private readonly resolved = new Map<string, Promise<string[]>>();

  constructor(
    private readonly guard: EgressGuard,
    private readonly resolver: Resolver,
    /** Cancels connection attempts, and closes connections. */
    private readonly closing: AbortSignal,
  ) {}

  /** Asks for each name again when it is dialled next. */
  forget(): void {
    this.resolved.clear();
  }

  /** @throws EgressFailure */
  async dial(host: string, port: number): Promise<net.Socket> {
    const addresses = (await this.addressesOf(host, port)).slice(0, MAX_ADDRESSES);
    const deadline = performance.now() + DIAL_TIMEOUT_MS;
    let failure = new EgressFailure('refused');
    for (const [i, address] of addresses.entries()) {
      if (this.closing.aborted) break;
      const timeoutMs = Math.max(1, Math.ceil((deadline - performance.now()) / (addresses.length - i)));
      try {
        return await this.connect(address, port, timeoutMs);
      } catch (error) {
        failure = EgressFailure.from(error);
      }
    }
    throw failure;
  }

  private async addressesOf(host: string, port: number): Promise<string[]> {
    if (host.length > MAX_NAME_LENGTH) throw new EgressFailure('dns');
    if (!this.guard.isAllowedTarget(host, port)) throw new EgressFailure('forbidden');
    const addresses = readAddress(host) ? [host] : await this.resolve(host);
    // All addresses must be allowed: a name with public and private ones is an attack, not a site.
    const isAllowed = addresses.every((address) => this.guard.isAllowedAddress(address, port, host));
    if (!isAllowed) throw new EgressFailure('forbidden');
    return addresses;
  }

  private resolve(host: string): Promise<string[]> {
    const known = this.resolved.get(host);
    if (known) return known;
    const resolving = this.ask(host).then((addresses) => {
      if (addresses.length === 0) throw new EgressFailure('dns');
      return addresses;
    });
    this.resolved.set(host, resolving);
    return resolving;
  }

  private connect(address: string, port: number, timeoutMs: number): Promise<net.Socket> {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ host: address, port, noDelay: true, signal: this.closing });
      const onTimeout = (): void => {
        socket.destroy(new EgressFailure('timeout'));
      };
      socket.setTimeout(timeoutMs, onTimeout);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.setTimeout(0, onTimeout).off('error', reject);
        resolve(socket);
      });
    });
  }

  /** @throws EgressFailure `dns` when the name has no address, `resolver` when the name servers did not answer */
  private async ask(host: string): Promise<string[]> {
    try {
      return await unlessAborted(this.resolver.resolve(host), this.closing);
    } catch (error) {
      throw new EgressFailure(error instanceof UnknownNameError ? 'dns' : 'resolver', error);
    }
  }
}
