import type { Job } from '../job/job.entity.js';
import { Tally } from './tally.js';

/** An attempt of a background job that the queue or a worker has. */
export type Dispatched = Pick<Job, 'id' | 'accountId' | 'status' | 'source' | 'attempt'>;

/** The turn that the entry of a job is to have. */
export interface JobPriority {
  readonly job: Pick<Job, 'id' | 'source' | 'attempt'>;
  /** The lower, the sooner it runs. */
  readonly priority: number;
}

/**
 * Finds turns that time has overtaken: a job that was the eighth of its account may be the first by now, and with the
 * turn that it was given every job of others would pass it by. Only the next job of each account is looked at, for no
 * other can be the next of all.
 *
 * What the queue was told is kept in memory: another process tells it once more, which is harmless.
 */
export class JobPriorities {
  private told = new Map<string, number>();

  tell({ job, priority }: JobPriority): void {
    this.told.set(keyOf(job), priority);
  }

  /** @param inFlight all there are, in the order in which they were dispatched */
  listOvertaken(inFlight: readonly Dispatched[]): JobPriority[] {
    this.forgetAllBut(inFlight);
    const byAccount = Map.groupBy(inFlight, ({ accountId }) => accountId);
    // One account alone has nobody to take turns with.
    if (byAccount.size < 2) return [];
    const running = new Tally(
      inFlight.filter(({ status }) => status === 'running').map(({ accountId }) => accountId),
    );
    return [...byAccount].flatMap(([accountId, jobs]) => {
      const job = jobs.find(({ status }) => status === 'queued');
      const priority = running.of(accountId) + 1;
      return job && this.told.get(keyOf(job)) !== priority ? [{ job, priority }] : [];
    });
  }

  private forgetAllBut(inFlight: readonly Dispatched[]): void {
    const keys = new Set(inFlight.map(keyOf));
    this.told = new Map([...this.told].filter(([key]) => keys.has(key)));
  }
}

function keyOf({ id, attempt }: Pick<Job, 'id' | 'attempt'>): string {
  return `${id}.${attempt}`;
}
