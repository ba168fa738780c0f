import type { JobsOptions, WorkerOptions } from 'bullmq';
import type { JobSource } from '../job/job-state.js';

/**
 * The lanes. `interactive` carries the captures somebody waits for; it is served before `background`, which carries
 * jobs and the rows of batches.
 */
export const LANES = ['interactive', 'background'] as const;
export type Lane = (typeof LANES)[number];

/** Which lane a job takes. */
export const LANE_OF = {
  sync: 'interactive',
  job: 'background',
  batch: 'background',
} as const satisfies Record<JobSource, Lane>;

/** How many of its slots a worker gives to the background: one stays free for who waits, where there are several. */
export function backgroundSlots(slots: number): number {
  return Math.max(1, slots - 1);
}

/** All that a queue entry holds: the row is the truth, the entry a hint that it is there to be run. */
export interface QueueEntry {
  readonly jobId: string;
}

/** Of the queue's lock. A worker that dies is noticed after at most lock + stalled interval. */
const LOCK_MS = 20_000;

type LaneSettings = Required<
  Pick<JobsOptions, 'attempts' | 'backoff' | 'removeOnComplete' | 'removeOnFail'>
> & {
  readonly worker: Required<
    Pick<
      WorkerOptions,
      'lockDuration' | 'stalledInterval' | 'maxStalledCount' | 'runRetryDelay' | 'drainDelay'
    >
  >;
};

const SETTINGS: LaneSettings = {
  // More than a job's own attempts: whether a job is tried again is decided by its row, never by the queue.
  attempts: 10,
  backoff: { type: 'exponential', delay: 200, jitter: 0.5 },
  // A kept entry would silently swallow a later add under the same id; history is in the rows.
  removeOnComplete: true,
  removeOnFail: true,
  worker: {
    lockDuration: LOCK_MS,
    stalledInterval: 10_000,
    // Deaths are counted by the row's losses; the queue only hands the entry out again.
    maxStalledCount: 10,
    runRetryDelay: 1_000,
    drainDelay: 5,
  },
};

/** Every setting of every lane: a lane without its full settings does not compile. */
export const LANE_SETTINGS: Record<Lane, LaneSettings> = { interactive: SETTINGS, background: SETTINGS };
