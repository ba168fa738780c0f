import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { BrowserPoolService } from '@app/browser';
import {
  JobBacklogRepository,
  JobQueue,
  LANES,
  UnknownFeaturesError,
  type Lane,
  type LaneConsumer,
  type WorkerOutage,
  type WorkerState,
} from '@app/jobs';
import { WatchedResolver } from '@app/outbound';
import { CaptureRunnerService } from './capture-runner.service.js';
import { LaneTurns } from './lane-turns.js';
import { SlotAllocator } from './slot-allocator.js';
import { StoreWatchService } from './store-watch.service.js';

/** How long an entry waits here for a slot before it goes back to the queue. Callers wait for the interactive ones. */
const SLOT_WAIT_MS: Record<Lane, number> = { interactive: 50, background: 250 };

/** The delay of an entry that goes back: long enough for a fetch of this worker that is under way to end. */
const GIVE_BACK_MS = 50;

/** The delay of an entry that goes back because the database, the store or every name server is down. */
const OUTAGE_MS = 1_000;

/** The delay of an entry that goes back because its job needs more than this worker knows. */
const UNKNOWN_FEATURES_MS = 250;

const CHECK_MS = 250;

/** A slot that is kept for the background over so many checks is given to others; fetching an entry takes milliseconds. */
const CHECKS_OF_TURN = 2;

/**
 * Takes as many entries from the queue as this worker can run captures. It gives back entries that it cannot run before it
 * claims their jobs, so that an idle worker can take what a busy or a broken one has fetched.
 */
@Injectable()
export class LanesService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(LanesService.name);
  private readonly turns = new LaneTurns();
  private readonly slots: SlotAllocator;
  private readonly consumers = new Map<Lane, LaneConsumer>();
  private readonly closing = new AbortController();
  private checks: NodeJS.Timeout | undefined;
  private isHealthy = true;
  private isDraining = false;
  private reading: Promise<void> | undefined;
  private checksOfTurn = 0;

  constructor(
    private readonly queue: JobQueue,
    private readonly captures: CaptureRunnerService,
    private readonly backlog: JobBacklogRepository,
    private readonly browsers: BrowserPoolService,
    private readonly store: StoreWatchService,
    private readonly names: WatchedResolver,
  ) {
    this.slots = new SlotAllocator(browsers.state().usable, () => this.turns.giveTurn());
  }

  onApplicationBootstrap(): void {
    for (const lane of LANES) {
      const consumer = this.queue.consume(lane, {
        handle: (jobId) => this.run(lane, jobId),
        onReleased: () => {
          this.applyLimits();
          this.lookAhead();
        },
      });
      this.consumers.set(lane, consumer);
    }
    this.applyLimits();
    this.checks = setInterval(() => {
      this.checkBrowsers();
      this.store.recheck();
      this.checkTurn();
      this.names.recheck();
      this.applyLimits();
    }, CHECK_MS);
  }

  /** Stops taking entries; those that wait for a slot go back to the queue at once. */
  onModuleDestroy(): void {
    clearInterval(this.checks);
    this.closing.abort();
  }

  /** Waits for the captures that run, before any module is torn down. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.consumers.values()].map((consumer) => consumer.close()));
  }

  get isClosing(): boolean {
    return this.closing.signal.aborted;
  }

  /** Takes no more entries while `drain` is true. Captures that run end. A repeated call changes nothing. */
  setDraining(drain: boolean): void {
    if (drain === this.isDraining) return;
    this.isDraining = drain;
    this.logger.log(
      drain
        ? 'an operator drains this worker: it takes no more captures, and ends those that it has'
        : 'this worker takes captures again',
    );
    this.applyLimits();
  }

  get state(): WorkerState {
    if (!this.isDraining) return 'active';
    return this.slots.isIdle() ? 'drained' : 'draining';
  }

  /** What keeps this worker from taking background captures. */
  get outages(): WorkerOutage[] {
    return [
      ...(this.names.areServersAway ? (['dns'] as const) : []),
      ...(this.store.isDown ? (['store'] as const) : []),
    ];
  }

  /** @see EntryHandler.handle */
  private async run(lane: Lane, jobId: string): Promise<number | null> {
    const { signal: closing } = this.closing;
    const waiting = AbortSignal.any([closing, AbortSignal.timeout(SLOT_WAIT_MS[lane])]);
    const slot = this.canTake() ? await this.slots.acquire(lane, waiting) : null;
    if (!slot) return closing.aborted ? 0 : GIVE_BACK_MS;
    try {
      if (this.isDraining) return GIVE_BACK_MS;
      if (lane === 'background') {
        if (!(await this.mayStartBackground())) return GIVE_BACK_MS;
        if (this.names.areServersAway || !(await this.store.isAvailable())) return OUTAGE_MS;
      }
      this.turns.started(lane);
      this.applyLimits();
      await this.captures.run(jobId, () => {
        this.lookAhead();
      });
      return null;
    } catch (error) {
      return this.delayAfter(jobId, error);
    } finally {
      slot.release();
    }
  }

  /** The delay of an entry whose job could not be claimed. */
  private delayAfter(jobId: string, error: unknown): number {
    if (error instanceof UnknownFeaturesError) {
      // Without the id of the job, so that the line is not written again for each try.
      this.logger.warn({}, `captures are left to workers of a later version: ${error.message}`);
      return UNKNOWN_FEATURES_MS;
    }
    this.logger.warn({ job_id: jobId, err: error }, 'the capture could not be claimed; it goes back');
    return OUTAGE_MS;
  }

  /**
   * Whether a background job that has a slot may start: it has not taken the last one out of turn. Both lanes fetch when a
   * slot becomes free, and the background may be faster; without this check it could win capture after capture.
   */
  private async mayStartBackground(): Promise<boolean> {
    if (!this.slots.isFull()) return true;
    this.turns.update(await this.backlog.readNext());
    return this.turns.mayStartBackground();
  }

  /**
   * Reads which captures wait, while all slots are busy, so that nothing needs to be read when one is free; and while a slot
   * is kept, which others may have as soon as nobody waits for it.
   */
  private lookAhead(): void {
    const matters = this.slots.isFull() || this.slots.isKeeping();
    if (!matters || this.reading !== undefined || this.isClosing) return;
    this.reading = this.backlog
      .readNext()
      .then((next) => {
        this.turns.update(next);
        if (!this.slots.isFull()) this.applyLimits();
      })
      .catch((err: unknown) => {
        this.logger.warn({ err }, 'it could not be read which captures wait');
      })
      .finally(() => (this.reading = undefined));
  }

  /** A slot is kept for the background for a moment only: its job may have gone to another worker. */
  private checkTurn(): void {
    this.lookAhead();
    this.checksOfTurn = this.slots.isKeeping() ? this.checksOfTurn + 1 : 0;
    if (this.checksOfTurn >= CHECKS_OF_TURN) this.turns.skipBackground();
  }

  private applyLimits(): void {
    if (this.isClosing) return;
    this.slots.resize(this.browsers.state().usable);
    for (const [lane, consumer] of this.consumers) {
      consumer.setConcurrency(this.mayTake(lane) ? this.slots.usableEntries(lane) : 0);
    }
  }

  /** Without a browser this worker takes nothing, so that other workers do. */
  private checkBrowsers(): void {
    const isHealthy = this.hasBrowser();
    if (isHealthy !== this.isHealthy) {
      this.logger.warn(
        isHealthy ? 'a browser runs again' : 'no browser runs; captures are left to other workers',
      );
    }
    this.isHealthy = isHealthy;
  }

  /**
   * Synchronous captures are taken even without the store or a name server: their callers get an error at once instead of a
   * timeout.
   */
  private mayTake(lane: Lane): boolean {
    const isOutage = this.store.isDown || this.names.areServersAway;
    return this.isHealthy && !this.isDraining && (lane === 'interactive' || !isOutage);
  }

  private canTake(): boolean {
    return !this.isDraining && this.hasBrowser();
  }

  private hasBrowser(): boolean {
    return this.browsers.state().healthy > 0;
  }
}
