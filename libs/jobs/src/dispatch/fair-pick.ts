import { BusyHosts, type HostLimits, type HostVisit } from './busy-hosts.js';
import { Tally } from './tally.js';

/** A job that is in the queue or runs. */
export interface InFlight extends HostVisit {
  readonly accountId: string;
}

/** A waiting job. */
export interface PickableJob extends InFlight {
  readonly id: string;
}

/** What limits the choice. */
export interface DispatchCapacity {
  /** Background jobs that the workers can run at once. */
  readonly slots: number;
  /** Jobs that may be in flight, apart from those of accounts below their share. */
  readonly inAll: number;
  readonly hostLimits: HostLimits;
  /** Accounts with free slots, the one that was served longest ago first. */
  readonly accounts: readonly { readonly accountId: string; readonly free: number }[];
  /** The background jobs that are in the queue or run. */
  readonly inFlight: readonly InFlight[];
  /** The synchronous captures in the queue or running, which count for the turns of their accounts. */
  readonly interactive: readonly Pick<InFlight, 'accountId'>[];
}

export interface Picked<Job extends PickableJob> {
  readonly job: Job;
  /** Captures that the account has in flight, including this one. The lower, the sooner the job runs. */
  readonly priority: number;
}

/**
 * Chooses the jobs to dispatch next. Each place goes to the account with the fewest captures in flight, including those just
 * chosen; among equals to the account that was served longest ago. An account below its share of the slots is served even
 * if no place is free, so that its jobs wait only for running ones.
 *
 * Within an account, its single jobs and each of its batches alternate in the same way; single jobs come first among
 * equals. Each of these lines keeps the order of `waiting`, but skips jobs whose host is busy.
 */
export function pickFairly<Job extends PickableJob>(
  waiting: readonly Job[],
  capacity: DispatchCapacity,
): Picked<Job>[] {
  const hosts = new BusyHosts(capacity.hostLimits, capacity.inFlight);
  const loads = new Tally([...capacity.inFlight, ...capacity.interactive].map(({ accountId }) => accountId));
  const lineLoads = new Tally(capacity.inFlight.map(lineOf));
  const share = shareOf(capacity);
  const byAccount = Map.groupBy(waiting, ({ accountId }) => accountId);
  const accounts = capacity.accounts.map(({ accountId, free }) => {
    return { accountId, free, lines: linesOf(byAccount.get(accountId) ?? []) };
  });
  const picked: Picked<Job>[] = [];
  for (;;) {
    const open = accounts.filter(({ free, lines }) => free > 0 && lines.some(({ jobs }) => jobs.length > 0));
    const account = least(open, ({ accountId }) => loads.countOf(accountId));
    const isFull = capacity.inFlight.length + picked.length >= capacity.inAll;
    if (!account || (isFull && loads.countOf(account.accountId) >= share)) return picked;
    const lines = account.lines.filter(({ jobs }) => jobs.length > 0);
    const job = least(lines, ({ line }) => lineLoads.countOf(line))?.jobs.shift();
    if (!job || hosts.isBusy(job)) continue;
    account.free -= 1;
    hosts.add(job);
    loads.add(job.accountId);
    lineLoads.add(lineOf(job));
    picked.push({ job, priority: loads.countOf(job.accountId) });
  }
}

/** The share of the slots of each account with jobs in flight or waiting; at least one slot. */
function shareOf({ slots, accounts, inFlight }: DispatchCapacity): number {
  const all = new Set([...accounts, ...inFlight].map(({ accountId }) => accountId));
  return Math.max(1, Math.floor(slots / all.size));
}

/** The line in which a job waits: the rows of its batch, or the single jobs of its account. */
function lineOf({ batchId, accountId }: InFlight): string {
  return batchId ?? accountId;
}

/** The jobs of one account by line; single jobs come first. */
function linesOf<Job extends PickableJob>(
  jobs: readonly Job[],
): { readonly line: string; readonly jobs: Job[] }[] {
  const lines = [...Map.groupBy(jobs, lineOf)].map(([line, jobs]) => ({ line, jobs }));
  return lines.sort((a, b) => Number(isOfBatch(a)) - Number(isOfBatch(b)));
}

function isOfBatch({ jobs }: { readonly jobs: readonly PickableJob[] }): boolean {
  return jobs.some(({ batchId }) => batchId !== null);
}

/** The first element with the lowest value. */
function least<T>(all: readonly T[], value: (each: T) => number): T | undefined {
  return all.reduce<T | undefined>((best, each) => {
    return best !== undefined && value(best) <= value(each) ? best : each;
  }, undefined);
}
