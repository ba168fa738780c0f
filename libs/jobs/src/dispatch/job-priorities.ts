import type { Job } from '../job/job.entity.js';
import { LANE_OF, LANES } from '../queue/lanes.js';
import { Tally } from './tally.js';

/** An attempt of a job that is in the queue or runs. */
export type DispatchedJob = Pick<Job, 'id' | 'accountId' | 'status' | 'source' | 'attempt' | 'priority'>;

/** A job and the priority that its queue entry should have. */
export interface JobPriority {
  readonly job: Pick<Job, 'id' | 'source' | 'attempt'>;
  /** The lower, the sooner the job runs. */
  readonly priority: number;
}

/**
 * Lists the priorities that are out of date. A job that was the eighth of its account when it was added to the queue may be
 * the first by now, and with its old priority every job of other accounts would run before it. Only the next job of each
 * account in each lane is checked, because no other one can be the next of all. What an account runs in one lane counts in
 * the other lane, too.
 *
 * @param inFlight all jobs in flight, in the order in which they were added to the queue
 */
export function listOutdatedPriorities(inFlight: readonly DispatchedJob[]): JobPriority[] {
  const byAccount = Map.groupBy(inFlight, ({ accountId }) => accountId);
  // The order among the jobs of a single account never changes.
  if (byAccount.size < 2) return [];
  const running = new Tally(
    inFlight.filter(({ status }) => status === 'running').map(({ accountId }) => accountId),
  );
  return [...byAccount].flatMap(([accountId, jobs]) => {
    const priority = running.countOf(accountId) + 1;
    return nextOfLanes(jobs).flatMap((job) => (job.priority === priority ? [] : [{ job, priority }]));
  });
}

function nextOfLanes(jobs: readonly DispatchedJob[]): DispatchedJob[] {
  const queued = jobs.filter(({ status }) => status === 'queued');
  return LANES.flatMap((lane) => queued.find(({ source }) => LANE_OF[source] === lane) ?? []);
}
