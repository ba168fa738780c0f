import { Logger } from '@nestjs/common';
import {
  DelayedError,
  Worker,
  type ConnectionOptions,
  type Job,
  type JobsOptions,
  type WorkerOptions,
} from 'bullmq';
import { pause } from '@app/kernel';
import { JobQueue, type EntryHandler, type LaneConsumer } from './job-queue.js';
import type { Lane } from './lanes.js';

/** The data of an entry: nothing but the id, because the row is the truth. */
export interface EntryData {
  readonly jobId: string;
}

/** The settings of every entry. */
export const ENTRY_OPTIONS = {
  // More than a job's own attempts: retries are decided by the row, never by the queue.
  attempts: 10,
  backoff: { type: 'exponential', delay: 200, jitter: 0.5 },
  // A kept entry would make BullMQ ignore a later one with the same id; the history is in the rows.
  removeOnComplete: true,
  removeOnFail: true,
} satisfies JobsOptions;

const WORKER_OPTIONS = {
  // The entry of a worker that died is taken by another one after at most lock + stalled interval.
  lockDuration: 20_000,
  stalledInterval: 10_000,
  // Lost workers are counted in the row; the queue only hands the entry out again.
  maxStalledCount: 10,
  runRetryDelay: 1_000,
  drainDelay: 5,
} satisfies Partial<WorkerOptions>;

/** A connection that can be ended has ended by then. */
const CONNECTION_END_MS = 2_000;

/** Steers a worker of BullMQ's, whose concurrency cannot be 0 and whose main loop does not always notice a change. */
export class BullmqConsumer implements LaneConsumer {
  private readonly logger = new Logger(JobQueue.name);
  private readonly worker: Worker<EntryData>;
  private inHand = 0;

  constructor(
    lane: Lane,
    connection: ConnectionOptions,
    private readonly handler: EntryHandler,
  ) {
    this.worker = new Worker<EntryData>(lane, (entry, token) => this.process(entry, token), {
      ...WORKER_OPTIONS,
      connection,
      autorun: false,
    });
    this.worker.on('error', (error) => {
      this.logger.warn(`queue: ${error.message}`);
    });
  }

  /** A fetch that is under way cannot be called off, so one more entry may still be taken after a change to 0. */
  setConcurrency(entries: number): void {
    const { worker } = this;
    if (entries === 0) {
      if (!worker.isPaused()) void worker.pause(true);
      return;
    }
    // A worker whose concurrency was used up checks it again only when an entry ends, or when it resumes.
    const checksAgain = this.inHand < worker.concurrency || this.inHand >= entries;
    worker.concurrency = entries;
    if (!checksAgain && !worker.isPaused()) void worker.pause(true);
    if (worker.isPaused() || !worker.isRunning()) void worker.resume();
  }

  async close(): Promise<void> {
    const closed = new AbortController();
    const closing = this.worker.close().finally(() => {
      closed.abort();
    });
    await Promise.race([closing, this.untilIdle(closed.signal)]);
  }

  /**
   * BullMQ waits for the end of its connection, which ioredis does not report while it waits to open a lost one again. Resolves
   * when no entry was in hand for a while: none is fetched any more, and BullMQ has told the queue how the last one ended.
   */
  private async untilIdle(signal: AbortSignal): Promise<void> {
    for (let isIdle = false; !isIdle && !signal.aborted;) {
      const before = this.inHand;
      await pause(CONNECTION_END_MS, signal);
      isIdle = before === 0 && this.inHand === 0;
    }
  }

  private async process(entry: Job<EntryData>, token: string | undefined): Promise<void> {
    const delayMs = await this.handle(entry.data.jobId);
    if (delayMs === null) return;
    await entry.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }

  private async handle(jobId: string): Promise<number | null> {
    this.inHand += 1;
    try {
      return await this.handler.handle(jobId);
    } finally {
      this.inHand -= 1;
      this.handler.onReleased();
    }
  }
}
