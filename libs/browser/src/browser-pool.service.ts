import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Env } from '@app/config';
import { AppError } from '@app/kernel';
import { BrowserLauncher } from './browser-launcher.js';
import { BrowserSlot, type BrowserEnd, type SlotState } from './browser-slot.js';
import { EgressProxyFactory } from './egress.js';
import type { PageLease } from './page-lease.js';
import { SlotQueue } from './slot-queue.js';
import { Watchdog } from './watchdog.js';

export interface PoolState {
  readonly slots: number;
  /** Slots whose page is leased. */
  readonly busy: number;
  /** Slots with a running browser. */
  readonly healthy: number;
  /** The browsers that were replaced since the start. */
  readonly restarts: number;
  /** All browsers that ended since the start, by reason, including those that failed to start. */
  readonly ended: Readonly<Record<BrowserEnd, number>>;
  /** Such as `HeadlessChrome/156.0.8078.79`; empty until the first browser runs. */
  readonly browser: string;
  /** Whether Chromium's sandbox is on. */
  readonly sandbox: boolean;
}

/**
 * Keeps a warm browser for each slot of the worker, and leases their pages to callers.
 *
 * Terminology: a *slot* keeps one browser alive and runs one capture at a time; a *prepared page* is a fresh context with a
 * page and an egress proxy, opened in advance; a *lease* is a prepared page in use by a caller; a browser is *lost* when it
 * or its page has crashed, and *unusable* when a caller has marked it so: both are killed and replaced.
 */
@Injectable()
export class BrowserPoolService implements OnModuleInit, OnApplicationShutdown {
  private readonly queue = new SlotQueue();
  private slots: readonly BrowserSlot[] = [];
  private launcher?: BrowserLauncher;

  constructor(
    private readonly env: Env,
    private readonly egressProxies: EgressProxyFactory,
  ) {}

  onModuleInit(): Promise<void> {
    return this.start();
  }

  /** Nest calls this after the worker has drained its captures. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /**
   * Starts all browsers, and resolves when the first one is ready. From then on the pool replaces browsers by itself.
   *
   * @throws BrowserNotFoundError, SandboxUnavailableError or BrowserStartError when none starts; nothing is left behind
   */
  async start(): Promise<void> {
    const launcher = await BrowserLauncher.open(this.env);
    this.launcher = launcher;
    const watchdog = this.openWatchdog();
    this.slots = Array.from({ length: this.env.WORKER_SLOTS }, (_, index) => {
      const rules = {
        launch: () => launcher.launch(),
        egressProxies: this.egressProxies,
        maxCaptures: this.env.BROWSER_MAX_CAPTURES,
        maxAgeMs: this.env.BROWSER_MAX_AGE_MS,
        maxDecodedBytes: this.env.BROWSER_MAX_DECODED_BYTES,
        watchdog,
      };
      return new BrowserSlot(String(index + 1), rules, this.queue);
    });
    try {
      await Promise.any(this.slots.map((slot) => slot.start()));
    } catch (error) {
      await Promise.all(this.slots.map((slot) => slot.close()));
      const reason = await launcher.explain(error instanceof AggregateError ? error.errors[0] : error);
      await this.close();
      throw reason;
    }
  }

  /**
   * Leases a page to `use`, in the order of the calls, and settles as `use` does. The page is deleted with all its data
   * when `use` settles.
   *
   * @throws the reason of `signal` when it aborts before a page is free; `unavailable` once the pool is closed
   */
  async withPage<T>(signal: AbortSignal, use: (lease: PageLease) => Promise<T>): Promise<T> {
    const { lease, release } = await this.queue.acquire(signal);
    try {
      return await use(lease);
    } finally {
      release();
    }
  }

  state(): PoolState {
    const states = this.slots.map((slot) => slot.state());
    return {
      slots: this.env.WORKER_SLOTS,
      busy: states.filter(({ mode }) => mode === 'busy').length,
      healthy: states.filter(({ mode }) => mode !== 'down').length,
      restarts: states.reduce((sum, { restarts }) => sum + restarts, 0),
      ended: endedOf(states),
      browser: states.find(({ browser }) => browser !== undefined)?.browser ?? '',
      sandbox: this.env.CHROMIUM_SANDBOX === 'on',
    };
  }

  /**
   * Rejects waiting and later callers, kills the browsers and removes their folders. It does not wait for leases: the worker
   * gives its captures a grace period before it calls this.
   */
  async close(): Promise<void> {
    this.queue.close(new AppError('unavailable', { detail: 'The worker is shutting down.' }));
    await Promise.all(this.slots.map((slot) => slot.close()));
    await this.launcher?.close();
  }

  private openWatchdog(): Watchdog {
    if (process.platform !== 'linux') {
      new Logger(BrowserPoolService.name).warn(
        'The memory and the processes of browsers are limited on Linux only.',
      );
    }
    const { BROWSER_MAX_MEMORY_BYTES: bytes, BROWSER_MAX_PROCESSES: processes } = this.env;
    return new Watchdog({ bytes, processes });
  }
}

function endedOf(states: readonly SlotState[]): Record<BrowserEnd, number> {
  const sum = (end: BrowserEnd): number => states.reduce((total, { ended }) => total + ended[end], 0);
  return { used_up: sum('used_up'), lost: sum('lost'), failed: sum('failed') };
}
