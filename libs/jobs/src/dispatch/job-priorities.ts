import type { Job } from '../job/job.entity.js';
import { Tally } from './tally.js';

/** An attempt of a background job that is in the queue or runs. */
export type DispatchedJob = Pick<Job, 'id' | 'accountId' | 'status' | 'source' | 'attempt'>;

/** A job and the priority that its queue entry should have. */
export interface JobPriority {
  readonly job: Pick<Job, 'id' | 'source' | 'attempt'>;
  /** The lower, the sooner the job runs. */
  readonly priority: number;
}

/**
 * Finds priorities that are out of date. A job that was the eighth of its account when it was dispatched may be the first
 * by now, and with its old priority every job of other accounts would run before it. Only the next job of each account is
 * checked, because no other one can be the next of all.
 *
 * The priorities that the queue has are kept in memory. Another process sets them once more, which is harmless.
 */
export class JobPriorities {
  private known = new Map<string, number>();

  /** Notes the priority that the queue has for a job. */
  set({ job, priority }: JobPriority): void {
    this.known.set(keyOf(job), priority);
  }

  /** @param inFlight all jobs in flight, in the order in which they were dispatched */
  listOutdated(inFlight: readonly DispatchedJob[]): JobPriority[] {
    this.forgetAllBut(inFlight);
    const byAccount = Map.groupBy(inFlight, ({ accountId }) => accountId);
    // The order among the jobs of a single account never changes.
    if (byAccount.size < 2) return [];
    const running = new Tally(
      inFlight.filter(({ status }) => status === 'running').map(({ accountId }) => accountId),
    );
    return [...byAccount].flatMap(([accountId, jobs]) => {
      const job = jobs.find(({ status }) => status === 'queued');
      const priority = running.of(accountId) + 1;
      return job && this.known.get(keyOf(job)) !== priority ? [{ job, priority }] : [];
    });
  }

  private forgetAllBut(inFlight: readonly DispatchedJob[]): void {
    const keys = new Set(inFlight.map(keyOf));
    this.known = new Map([...this.known].filter(([key]) => keys.has(key)));
  }
}

function keyOf({ id, attempt }: Pick<Job, 'id' | 'attempt'>): string {
  return `${id}.${attempt}`;
}
