import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { Env, planSlots, type SlotPlan } from '@app/config';
import { AppError, ConcurrencyLimit } from '@app/kernel';
import { BrowserLauncher } from '../process/browser-launcher.js';
import { BrowserSlot, type BrowserEnd, type SlotState } from './browser-slot.js';
import { EgressProxyFactory } from '../page/egress.js';
import type { PageLease } from '../page/page-lease.js';
import { SlotGate } from './slot-gate.js';
import { SlotQueue } from './slot-queue.js';
import { Watchdog } from '../watchdog/watchdog.js';

/** A browser that was started because callers waited ends after this time without one. */
const IDLE_MS = 30_000;

export interface PoolState {
  readonly slots: number;
  /** Slots that captures should use now: fewer than all while those that run use all cores. */
  readonly usable: number;
  /** Slots whose page is leased. */
  readonly busy: number;
  /** Slots with a running browser, and those that need none now, unless no browser runs at all. */
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
 * Keeps the slots of the worker, and leases the pages of their browsers to callers. Some browsers are kept warm; the others
 * start when callers wait, a few at a time, and end when none came for a while.
 *
 * Terminology: a *slot* has one browser and runs one capture at a time; a *prepared page* is a fresh context with a
 * page and an egress proxy, opened in advance; a *lease* is a prepared page in use by a caller; a browser is *lost* when it
 * or its page has crashed, and *unusable* when a caller has marked it so: both are killed and replaced.
 */
@Injectable()
export class BrowserPoolService implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly queue = new SlotQueue();
  private readonly plan: SlotPlan;
  /** Starting a browser takes the CPU of a core. */
  private readonly starts: ConcurrencyLimit;
  private readonly gate: SlotGate;
  private slots: readonly BrowserSlot[] = [];
  private launcher?: BrowserLauncher;
  private starting?: Promise<void>;

  constructor(
    private readonly env: Env,
    private readonly egressProxies: EgressProxyFactory,
  ) {
    this.plan = planSlots(env);
    this.gate = new SlotGate({ min: this.plan.minUsable, max: this.plan.slots });
    this.starts = new ConcurrencyLimit(this.plan.warmBrowsers);
  }

  /** Returns at once, so that other modules connect to their servers while the browser starts. */
  onModuleInit(): void {
    this.starting = this.start();
    // A failure is thrown by onApplicationBootstrap.
    this.starting.catch(() => undefined);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.starting;
  }

  /** Nest calls this after the worker has drained its captures. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /**
   * Starts the warm browsers, and resolves when the first one is ready. From then on the pool replaces browsers by itself.
   *
   * @throws BrowserNotFoundError, SandboxUnavailableError or BrowserStartError when none starts; nothing is left behind
   */
  async start(): Promise<void> {
    const launcher = await BrowserLauncher.open(this.env);
    this.launcher = launcher;
    this.slots = this.openSlots(launcher);
    try {
      const first = this.slots[0]?.start();
      // Browsers that start together keep the cores from the first one.
      const starts = this.slots.map(async (slot, i) => {
        if (i > 0) await first?.catch(() => undefined);
        return slot.start();
      });
      // A slot that sleeps has not started by then, and logs its own failures.
      for (const start of starts) start.catch(() => undefined);
      await Promise.any(starts.slice(0, this.plan.warmBrowsers));
      new Logger(BrowserPoolService.name).log(this.plan.reason);
    } catch (error) {
      await Promise.all(this.slots.map((slot) => slot.close()));
      const reason = await launcher.explain(error instanceof AggregateError ? error.errors[0] : error);
      await this.close();
      throw reason;
    }
  }

  /**
   * Leases a page to `use`, in the order of the calls, and settles as `use` does. The page is deleted with all its data
   * when `use` settles, unless it keeps its context for a later caller with the same `share`.
   *
   * @throws the reason of `signal` when it aborts before a page is free; `unavailable` once the pool is closed
   */
  async withPage<T>(signal: AbortSignal, use: (lease: PageLease) => Promise<T>, share?: string): Promise<T> {
    const { lease, release } = await this.queue.acquire(signal, share);
    try {
      return await use(lease);
    } finally {
      release();
    }
  }

  state(): PoolState {
    const states = this.slots.map((slot) => slot.state());
    return {
      slots: this.plan.slots,
      usable: this.gate.usable,
      busy: busyOf(states),
      healthy: healthyOf(states),
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

  private openSlots(launcher: BrowserLauncher): BrowserSlot[] {
    const rules = {
      launch: () => this.starts.run(() => launcher.launch()),
      egressProxies: this.egressProxies,
      maxCaptures: this.env.BROWSER_MAX_CAPTURES,
      maxAgeMs: this.env.BROWSER_MAX_AGE_MS,
      maxDecodedBytes: this.env.BROWSER_MAX_DECODED_BYTES,
      watchdog: this.openWatchdog(),
      idleMs: IDLE_MS,
    };
    return Array.from({ length: this.plan.slots }, (_, i) => {
      const isWarm = i < this.plan.warmBrowsers;
      return new BrowserSlot(String(i + 1), { ...rules, isWarm }, this.queue);
    });
  }

  private openWatchdog(): Watchdog {
    if (process.platform !== 'linux') {
      new Logger(BrowserPoolService.name).warn(
        'The memory and the processes of browsers are limited on Linux only.',
      );
    }
    const { BROWSER_MAX_MEMORY_BYTES: bytes, BROWSER_MAX_PROCESSES: processes } = this.env;
    const { cores, browserBytes: allBytes } = this.plan;
    return new Watchdog({ bytes, processes, allBytes }, (used) => {
      this.gate.note(busyOf(this.slots.map((slot) => slot.state())), used / cores);
    });
  }
}

function endedOf(states: readonly SlotState[]): Record<BrowserEnd, number> {
  const sum = (end: BrowserEnd): number => states.reduce((total, { ended }) => total + ended[end], 0);
  return { used_up: sum('used_up'), lost: sum('lost'), failed: sum('failed'), idle: sum('idle') };
}

function busyOf(states: readonly SlotState[]): number {
  return states.filter(({ mode }) => mode === 'busy').length;
}

/** A slot that needs no browser could start one as little as the others, when none of them runs. */
function healthyOf(states: readonly SlotState[]): number {
  const count = (...modes: SlotState['mode'][]): number =>
    states.filter(({ mode }) => modes.includes(mode)).length;
  const running = count('ready', 'busy');
  return running === 0 ? 0 : running + count('asleep');
}
