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
  /** Slots whose page a caller has. */
  readonly busy: number;
  /** Slots that have a running browser. */
  readonly healthy: number;
  /** Browsers replaced since the start: crashed, condemned, used up or too old. */
  readonly restarts: number;
  /** All browsers that ended since the start, by why; those that never ran, too. */
  readonly ended: Readonly<Record<BrowserEnd, number>>;
  /** Such as `HeadlessChrome/156.0.8078.79`; empty before the first one runs. */
  readonly browser: string;
  /** Whether Chromium's sandbox is on. */
  readonly sandbox: boolean;
}

/**
 * A warm browser for each slot of the worker, and pages of them for who asks.
 *
 * Terminology: a *slot* keeps one browser alive and runs one capture at a time; a *prepared page* is a fresh context
 * with a page and an exit, made while nobody waits; a *lease* is a prepared page in a caller's hands; a browser is *lost* when it
 * or the page crashed, *condemned* when the caller no longer trusts it: both are killed and replaced.
 */
@Injectable()
export class BrowserPoolService implements OnModuleInit, OnApplicationShutdown {
  private readonly line = new SlotQueue();
  private slots: readonly BrowserSlot[] = [];
  private launcher?: BrowserLauncher;

  constructor(
    private readonly env: Env,
    private readonly egressProxies: EgressProxyFactory,
  ) {}

  onModuleInit(): Promise<void> {
    return this.start();
  }

  /** Nest calls it after the worker has drained its captures. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /**
   * Starts all browsers; resolves when the first is ready to capture, the others follow. Once it has resolved the pool
   * heals by itself, for as long as it takes.
   *
   * @throws BrowserNotFoundError, SandboxUnavailableError or BrowserStartError when none starts; nothing stays behind.
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
      return new BrowserSlot(String(index + 1), rules, this.line);
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
   * Lends a page to `use`, waiting for one in the order of the calls. The page and all that it stored are gone when
   * `use` settles. Settles as `use` does.
   *
   * @throws the reason of `signal` when it aborts before there is a page; `unavailable` once the pool is closed.
   */
  async withPage<T>(signal: AbortSignal, use: (lease: PageLease) => Promise<T>): Promise<T> {
    const turn = await this.line.join(signal);
    try {
      return await use(turn.lease);
    } finally {
      turn.end();
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
   * Refuses who waits and who comes, kills the browsers and removes their folders. It does not wait for leases: how long
   * a capture may still run is the worker's to say, before it calls this.
   */
  async close(): Promise<void> {
    this.line.close(new AppError('unavailable', { detail: 'The worker is shutting down.' }));
    await Promise.all(this.slots.map((slot) => slot.close()));
    await this.launcher?.close();
  }

  private openWatchdog(): Watchdog {
    if (process.platform !== 'linux') {
      new Logger(BrowserPoolService.name).warn(
        'Only on Linux are the memory and the processes of browsers limited.',
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
