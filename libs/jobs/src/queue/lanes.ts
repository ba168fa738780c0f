import type { JobSource } from '../job/job-state.js';

/**
 * The two lanes of the queue. `interactive` carries synchronous captures and is served first; `background` carries jobs and
 * the rows of batches.
 */
export const LANES = ['interactive', 'background'] as const;
export type Lane = (typeof LANES)[number];

/** The lane of a job, by its source. */
export const LANE_OF = {
  sync: 'interactive',
  job: 'background',
  batch: 'background',
} as const satisfies Record<JobSource, Lane>;

/** One slot of this many stays free for synchronous captures, and at least one. */
const SLOTS_PER_RESERVED = 8;

/** How many of its slots a worker gives to the background: all but those that stay free for synchronous captures. */
export function backgroundSlots(slots: number): number {
  return Math.max(1, slots - Math.ceil(slots / SLOTS_PER_RESERVED));
}
