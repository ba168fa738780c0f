import { BusyHosts, type HostLimits, type HostUse } from './busy-hosts.js';
import { Tally } from './tally.js';

/** A job that the queue or a worker has, as far as the choice looks at it. */
export interface InFlight extends HostUse {
  readonly accountId: string;
}

/** A job that waits for its turn. */
export interface Waiting extends InFlight {
  readonly id: string;
}

/** What is there for the choice to give away. */
export interface Room {
  /** Jobs that can run at once. */
  readonly slots: number;
  /** Jobs that may be in flight, but for those of accounts that have less than their share. */
  readonly capacity: number;
  readonly hostLimits: HostLimits;
  /** Accounts that may be served, the one that was served longest ago first. */
  readonly accounts: readonly { readonly accountId: string; readonly free: number }[];
  readonly inFlight: readonly InFlight[];
}

export interface Picked<Job extends Waiting> {
  readonly job: Job;
  /** Jobs that its account has in flight, this one included. The lower, the sooner it runs. */
  readonly priority: number;
}

/**
 * Chooses who is next. Accounts take turns: each place goes to the account that has the fewest jobs in flight, chosen
 * ones included; among equals to the one that was served longest ago. An account with less than its share of the slots
 * needs no free place: it is to wait for no more than what runs.
 *
 * Within an account its single jobs and each of its batches take turns in the same way, single jobs first among equals.
 * Within each of these lines the order is that of `waiting`, but for jobs whose host is busy: they are passed over.
 */
export function pickFairly<Job extends Waiting>(waiting: readonly Job[], room: Room): Picked<Job>[] {
  const hosts = new BusyHosts(room.hostLimits, room.inFlight);
  const loads = new Tally(room.inFlight.map(({ accountId }) => accountId));
  const lineLoads = new Tally(room.inFlight.map(lineOf));
  const share = shareOf(room);
  const byAccount = Map.groupBy(waiting, ({ accountId }) => accountId);
  const accounts = room.accounts.map(({ accountId, free }) => {
    return { accountId, free, lines: linesOf(byAccount.get(accountId) ?? []) };
  });
  const picked: Picked<Job>[] = [];
  for (;;) {
    const open = accounts.filter(({ free, lines }) => free > 0 && lines.some(({ jobs }) => jobs.length > 0));
    const account = least(open, ({ accountId }) => loads.of(accountId));
    const isFull = room.inFlight.length + picked.length >= room.capacity;
    if (!account || (isFull && loads.of(account.accountId) >= share)) return picked;
    const lines = account.lines.filter(({ jobs }) => jobs.length > 0);
    const job = least(lines, ({ line }) => lineLoads.of(line))?.jobs.shift();
    if (!job || hosts.isBusy(job)) continue;
    account.free -= 1;
    hosts.add(job);
    loads.add(job.accountId);
    lineLoads.add(lineOf(job));
    picked.push({ job, priority: loads.of(job.accountId) });
  }
}

/** Of the slots, for each account that has something in flight or waiting; one at least. */
function shareOf({ slots, accounts, inFlight }: Room): number {
  const all = new Set([...accounts, ...inFlight].map(({ accountId }) => accountId));
  return Math.max(1, Math.floor(slots / all.size));
}

/** Where a job waits: with the other rows of its batch, or with the single jobs of its account. */
function lineOf({ batchId, accountId }: InFlight): string {
  return batchId ?? accountId;
}

/** The jobs of one account, line by line, single jobs first. */
function linesOf<Job extends Waiting>(
  jobs: readonly Job[],
): { readonly line: string; readonly jobs: Job[] }[] {
  const lines = [...Map.groupBy(jobs, lineOf)].map(([line, jobs]) => ({ line, jobs }));
  return lines.sort((a, b) => Number(isOfBatch(a)) - Number(isOfBatch(b)));
}

function isOfBatch({ jobs }: { readonly jobs: readonly Waiting[] }): boolean {
  return jobs.some(({ batchId }) => batchId !== null);
}

/** The first of those with the lowest value. */
function least<T>(all: readonly T[], value: (each: T) => number): T | undefined {
  return all.reduce<T | undefined>((best, each) => {
    return best !== undefined && value(best) <= value(each) ? best : each;
  }, undefined);
}
