import type { Backlog, InFlightForHost, WaitingForHost } from '@app/jobs';
import { LANES } from '@app/jobs';
import type { LaneLoad } from './queue.response.js';

/** What waits and runs of one account, or for one host. */
export interface LoadOf<Key> {
  readonly key: Key;
  readonly waiting: number;
  readonly running: number;
  readonly oldest_waiting_s: number | null;
}

type Entry<Key> = Pick<WaitingForHost, 'jobs' | 'oldestAt'> & {
  readonly key: Key;
  readonly isRunning: boolean;
};

interface Jobs {
  readonly waiting: readonly WaitingForHost[];
  readonly inFlight: readonly InFlightForHost[];
  readonly nowMs: number;
}

/** Adds up the jobs that wait in the database, and those in the queue or running; those with the most come first. */
export function loadsBy<Key>(
  keyOf: (job: Pick<WaitingForHost, 'accountId' | 'host'>) => Key,
  { waiting, inFlight, nowMs }: Jobs,
): LoadOf<Key>[] {
  const entries: Entry<Key>[] = [
    ...waiting.map((job) => ({ ...job, key: keyOf(job), isRunning: false })),
    ...inFlight.map((job) => ({ ...job, key: keyOf(job), isRunning: job.state === 'running' })),
  ];
  const groups = Map.groupBy(entries, ({ key }) => key);
  const loads = [...groups].map(([key, group]) => {
    const waits = group.filter(({ isRunning }) => !isRunning);
    const running = sumOf(group.filter(({ isRunning }) => isRunning));
    const oldestMs = Math.min(...waits.map(({ oldestAt }) => oldestAt.getTime()));
    const oldestS = waits.length === 0 ? null : Math.max(0, Math.round((nowMs - oldestMs) / 1_000));
    return { key, waiting: sumOf(waits), running, oldest_waiting_s: oldestS };
  });
  return loads.sort((a, b) => b.waiting + b.running - a.waiting - a.running);
}

export function loadsOfLanes(backlog: readonly Backlog[]): LaneLoad[] {
  return LANES.map((lane) => {
    const own = backlog.filter((entry) => entry.lane === lane);
    const waits = own.filter(({ state, jobs }) => state !== 'running' && jobs > 0);
    const oldestS = Math.round(Math.max(0, ...waits.map((entry) => entry.oldestS)));
    return {
      lane,
      waiting: sumOf(waits),
      running: sumOf(own.filter(({ state }) => state === 'running')),
      oldest_waiting_s: waits.length === 0 ? null : oldestS,
    };
  });
}

function sumOf(entries: readonly { readonly jobs: number }[]): number {
  return entries.reduce((sum, { jobs }) => sum + jobs, 0);
}
