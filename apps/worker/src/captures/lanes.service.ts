import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BrowserPoolService } from '@app/browser';
import { Env } from '@app/config';
import { JobBacklogRepository, type Lane } from '@app/jobs';
import { CaptureRunnerService } from './capture-runner.service.js';
import { SlotGate } from './slot-gate.js';
import { StoreWatchService } from './store-watch.service.js';

/** What fetches the entries of a lane, as far as it is steered. */
export interface Fetcher {
  /** Entries that it has in hand at the most, one or more. */
  concurrency: number;
  isPaused(): boolean;
  isRunning(): boolean;
  pause(doNotWaitActive: true): Promise<void>;
  resume(): Promise<void>;
}

/** For how long an entry waits here for a slot before another worker may have it. Somebody waits for the first. */
const PATIENCE_MS: Record<Lane, number> = { interactive: 50, background: 250 };

/** After which an entry that was given back is there for others: a fetch that this worker has under way is over then. */
const GIVEN_BACK_MS = 50;

/** As GIVEN_BACK_MS, when the database or the store is away. */
const OUTAGE_MS = 1_000;

const WATCH_MS = 250;

/**
 * Takes entries of the queue for as many captures as the worker can run, and gives back those it cannot, before their
 * jobs are claimed: an entry that a busy or a broken worker keeps is one that an idle one lacks.
 */
@Injectable()
export class LanesService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(LanesService.name);
  private readonly gate: SlotGate;
  private readonly fetchers = new Map<Lane, Fetcher>();
  private readonly inHand: Record<Lane, number> = { interactive: 0, background: 0 };
  private readonly closing = new AbortController();
  private watch: NodeJS.Timeout | undefined;
  private healthy = true;

  constructor(
    env: Env,
    private readonly runCapture: CaptureRunnerService,
    private readonly backlog: JobBacklogRepository,
    private readonly pool: BrowserPoolService,
    private readonly store: StoreWatchService,
  ) {
    this.gate = new SlotGate(env.WORKER_SLOTS);
  }

  onApplicationBootstrap(): void {
    this.watch = setInterval(() => {
      this.watchBrowsers();
      this.store.look();
      this.steer();
    }, WATCH_MS);
  }

  /** The worker takes nothing new from now on, and what waits for a slot goes back at once. */
  onModuleDestroy(): void {
    clearInterval(this.watch);
    this.closing.abort();
  }

  get isClosing(): boolean {
    return this.closing.signal.aborted;
  }

  attach(lane: Lane, fetcher: Fetcher): void {
    this.fetchers.set(lane, fetcher);
    this.steer();
  }

  /**
   * Runs the capture of an entry. Null when the entry has served its purpose; else it is to go back to the queue, for
   * so many ms.
   */
  async run(lane: Lane, jobId: string): Promise<number | null> {
    this.inHand[lane] += 1;
    try {
      return await this.runInSlot(lane, jobId);
    } finally {
      this.inHand[lane] -= 1;
      this.steer();
    }
  }

  private async runInSlot(lane: Lane, jobId: string): Promise<number | null> {
    const { signal: closing } = this.closing;
    const patience = AbortSignal.any([closing, AbortSignal.timeout(PATIENCE_MS[lane])]);
    const slot = this.hasBrowser() ? await this.gate.take(lane, patience) : null;
    if (!slot) return closing.aborted ? 0 : GIVEN_BACK_MS;
    try {
      if (lane === 'background') {
        if (await this.isWantedByOthers()) return GIVEN_BACK_MS;
        if (!(await this.store.isThere())) return OUTAGE_MS;
      }
      this.steer();
      await this.runCapture.run(jobId);
      return null;
    } catch (error) {
      this.logger.warn({ job_id: jobId, err: error }, 'the capture could not be claimed; it goes back');
      return OUTAGE_MS;
    } finally {
      slot.free();
    }
  }

  /**
   * Whether the background has taken the last slot, and somebody waits for a capture. When a slot becomes free both lanes
   * fetch, and the background may be the faster one: it must not be, capture after capture.
   */
  private async isWantedByOthers(): Promise<boolean> {
    return this.gate.isFull() && (await this.backlog.isSomebodyWaiting());
  }

  /** A fetch that waits for an entry cannot be called off, so that a full worker may get one entry that it gives back. */
  private steer(): void {
    if (this.isClosing) return;
    for (const [lane, fetcher] of this.fetchers) {
      const appetite = this.isFed(lane) ? this.gate.appetite(lane) : 0;
      if (appetite > 0) this.feed(fetcher, appetite, this.inHand[lane]);
      else if (!fetcher.isPaused()) void fetcher.pause(true);
    }
  }

  private feed(fetcher: Fetcher, appetite: number, inHand: number): void {
    // One that has its hands full looks up only when an entry of its own lane ends, or when it resumes.
    const looksUp = inHand < fetcher.concurrency || inHand >= appetite;
    fetcher.concurrency = appetite;
    if (!looksUp && !fetcher.isPaused()) void fetcher.pause(true);
    if (fetcher.isPaused() || !fetcher.isRunning()) void fetcher.resume();
  }

  /** Without a browser nothing is fetched: what there is to do is left to other workers. */
  private watchBrowsers(): void {
    const healthy = this.hasBrowser();
    if (healthy !== this.healthy) {
      this.logger.warn(
        healthy ? 'a browser runs again' : 'no browser runs; captures are left to other workers',
      );
    }
    this.healthy = healthy;
  }

  /** Somebody waits for an interactive capture: without the store it is refused at once rather than left to wait. */
  private isFed(lane: Lane): boolean {
    return this.healthy && (lane === 'interactive' || !this.store.isAway);
  }

  private hasBrowser(): boolean {
    return this.pool.state().healthy > 0;
  }
}
