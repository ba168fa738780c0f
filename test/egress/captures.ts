import { BrowserPoolService, type EgressProxyFactory } from '@app/browser';
import type { CaptureOptions, Captured } from '@app/capture';
import { parseOptions } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { Env } from '@app/config';
import { AppError, instantiate } from '@app/kernel';
import { freePort } from '../support/free-port.js';
import { EgressGuard, EgressProxy, readEgressPolicy, type Resolver } from '@app/outbound';

/** A port on which nobody listens, and which the guard lets through to. */
export const NOBODY = await freePort();

const LIMITS = { requests: 1_500, connections: 64, bytes: 50e6 };

/** The real engine with a real browser behind real proxies of this guard. */
export class Captures {
  /** Hosts of which an operator would be told. */
  readonly refused: string[] = [];

  private constructor(private readonly pool: BrowserPoolService) {}

  /** `slots`: captures that may be made at once. */
  static async open(
    guard: EgressGuard,
    resolver: Resolver,
    { limits = LIMITS, slots = 1 }: { limits?: typeof LIMITS; slots?: number } = {},
  ): Promise<Captures> {
    const egressProxies: EgressProxyFactory = { open: () => EgressProxy.listen({ guard, resolver, limits }) };
    const pool = new BrowserPoolService(Object.assign(new Env(), { WORKER_SLOTS: slots }), egressProxies);
    await pool.start();
    return new Captures(pool);
  }

  make(options: Partial<CaptureOptions>): Promise<Captured> {
    const onForbidden = ({ hostname }: URL) => void this.refused.push(hostname);
    const engine = new CaptureEngine(this.pool, { maxBytes: 50e6, onForbidden });
    return engine.capture(parseOptions({ ...options }), new AbortController().signal);
  }

  async failure(options: Partial<CaptureOptions>): Promise<AppError> {
    try {
      await this.make(options);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    throw new Error('The capture did not fail.');
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

/** The guard as an operator would have it, but for the port of the site, and with the canaries' ports open. */
export function guardOf(sitePort: number, ports: readonly number[]): EgressGuard {
  const values = {
    EGRESS_ALLOW: `127.0.0.1:${sitePort},127.0.0.1:${NOBODY}`,
    EGRESS_PORTS: [sitePort, ...ports].join(','),
  };
  return new EgressGuard(readEgressPolicy(instantiate(Env, values)));
}

/** Lets everything through: what the canaries are shown to sing with. */
export class OpenGuard extends EgressGuard {
  constructor() {
    super(readEgressPolicy(new Env()));
  }

  override isAllowedTarget(): boolean {
    return true;
  }

  override isAllowedAddress(): boolean {
    return true;
  }
}
