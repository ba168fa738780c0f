import type { Job } from '../job/job.entity.js';
import { LEASE_MS } from './attempts.service.js';

export interface QueueTimes {
  /** From the acceptance, or from the end of an earlier attempt, to the claim. */
  readonly waitedMs: number;
  /** From the acceptance to the latest addition to the queue. */
  readonly dispatchedAfterMs: number | null;
}

/** The times of a job that was claimed just now, all by the clock of the database. */
export function queueTimesOf({ attempt, createdAt, dispatchedAt, leaseUntil }: Job): QueueTimes {
  const waitedFrom = attempt > 1 && dispatchedAt ? dispatchedAt : createdAt;
  const claimedAt = leaseUntil ? leaseUntil.getTime() - LEASE_MS : waitedFrom.getTime();
  return {
    waitedMs: Math.max(0, claimedAt - waitedFrom.getTime()),
    dispatchedAfterMs: dispatchedAt && Math.max(0, dispatchedAt.getTime() - createdAt.getTime()),
  };
}
