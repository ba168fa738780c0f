/** A job that waits for its turn, as far as the choice looks at it. */
export interface Waiting {
  readonly id: string;
  readonly accountId: string;
  /** Null for a target without one, which is nobody's burden. */
  readonly host: string | null;
}

/** What is there for the choice to give away. */
export interface Room {
  /** Jobs that may be chosen. */
  readonly places: number;
  /** Of jobs in flight to one host, over all accounts. */
  readonly perHost: number;
  /** Accounts that may be served, the one that was served longest ago first. */
  readonly accounts: readonly { readonly accountId: string; readonly free: number }[];
  readonly inFlight: readonly Load[];
}

/** Jobs in flight of one account to one host. */
export interface Load {
  readonly accountId: string;
  readonly host: string | null;
  readonly jobs: number;
}

/**
 * Chooses who is next. Accounts take turns: each place goes to the account that has the fewest jobs in flight, chosen
 * ones included; among equals to the one that was served longest ago. Within an account the order is that of
 * `waiting`, but for jobs whose host is busy: they are passed over.
 */
export function pickFairly<Job extends Waiting>(waiting: readonly Job[], room: Room): Job[] {
  const hosts = new Counts(room.inFlight.map(({ host, jobs }) => [host, jobs]));
  const loads = new Counts(room.inFlight.map(({ accountId, jobs }) => [accountId, jobs]));
  const byAccount = Map.groupBy(waiting, ({ accountId }) => accountId);
  const lines = room.accounts.map(({ accountId, free }) => ({
    accountId,
    free,
    jobs: byAccount.get(accountId) ?? [],
  }));
  const picked: Job[] = [];
  while (picked.length < room.places) {
    const line = lines
      .filter(({ free, jobs }) => free > 0 && jobs.length > 0)
      .reduce<(typeof lines)[number] | undefined>((least, line) => {
        return least && loads.of(least.accountId) <= loads.of(line.accountId) ? least : line;
      }, undefined);
    if (!line) break;
    const job = line.jobs.shift();
    if (!job || (job.host !== null && hosts.of(job.host) >= room.perHost)) continue;
    picked.push(job);
    line.free -= 1;
    loads.add(job.accountId, 1);
    hosts.add(job.host, 1);
  }
  return picked;
}

class Counts {
  private readonly counts = new Map<string | null, number>();

  constructor(entries: Iterable<readonly [string | null, number]>) {
    for (const [key, count] of entries) this.add(key, count);
  }

  of(key: string | null): number {
    return this.counts.get(key) ?? 0;
  }

  add(key: string | null, count: number): void {
    this.counts.set(key, this.of(key) + count);
  }
}
