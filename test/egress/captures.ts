import { BrowserPoolService, type EgressProxyFactory } from '@app/browser';
import type { CaptureOptions } from '@app/capture';
import { parseOptions } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { Env } from '@app/config';
import { AppError, instantiate } from '@app/kernel';
import { browserEnv } from '../support/browser.js';
import { withFirstFile, type Captured } from '../support/capturing.js';
import { freePort } from '../support/free-port.js';
import { EgressGuard, EgressProxy, readEgressPolicy, type Resolver } from '@app/outbound';
import { noFilters } from '../support/filters.js';

/** A port that the guard allows and on which nothing listens. */
export const NOBODY = await freePort();

const LIMITS = { requests: 1_500, connections: 64, bytes: 50e6 };

/** The real engine with real browsers behind real egress proxies of a guard. */
export class Captures {
  /** Hosts whose refusal the operator would see in the log. */
  readonly refused: string[] = [];

  private constructor(private readonly pool: BrowserPoolService) {}

  /** `slots` is the number of captures that may run at the same time. */
  static async open(
    guard: EgressGuard,
    resolver: Resolver,
    { limits = LIMITS, slots = 1 }: { limits?: typeof LIMITS; slots?: number } = {},
  ): Promise<Captures> {
    const egressProxies: EgressProxyFactory = { open: () => EgressProxy.listen({ guard, resolver, limits }) };
    const pool = new BrowserPoolService(browserEnv({ WORKER_SLOTS: slots }), egressProxies);
    await pool.start();
    return new Captures(pool);
  }

  async make(options: Partial<CaptureOptions>): Promise<Captured> {
    const onForbidden = ({ hostname }: URL) => void this.refused.push(hostname);
    const engine = new CaptureEngine(this.pool, { maxBytes: 50e6, onForbidden, filters: noFilters });
    return withFirstFile(await engine.capture(parseOptions({ ...options }), new AbortController().signal));
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

/** The guard of a production service, except that it allows the site and the ports of the canaries. */
export function guardOf(sitePort: number, ports: readonly number[]): EgressGuard {
  const values = {
    EGRESS_ALLOW: `127.0.0.1:${sitePort},127.0.0.1:${NOBODY}`,
    EGRESS_PORTS: [sitePort, ...ports].join(','),
  };
  return new EgressGuard(readEgressPolicy(instantiate(Env, values)));
}

/** Allows everything, to show that the canaries would notice. */
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
