import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { DatabaseService } from '@app/database';
import { UsageService } from '@app/usage';
import { BusyHosts, hostLimitsOf, type HostLimits } from './busy-hosts.js';
import { DispatchRepository, type LineQuery, type WaitingJob } from './dispatch.repository.js';

/** Counting stops here: no fleet needs more workers than for so many captures. */
export const MAX_RUNNABLE = 10_000;

/**
 * Counts the waiting jobs that further slots would run: what a dispatcher with unlimited slots would choose. Jobs that wait
 * for a slot of their account or for a host do not count. The cost depends on the free slots of accounts, not on the backlog.
 */
@Injectable()
export class RunnableJobsService {
  private readonly hostLimits: HostLimits;

  constructor(
    private readonly database: DatabaseService,
    private readonly repository: DispatchRepository,
    private readonly usage: UsageService,
    env: Env,
  ) {
    this.hostLimits = hostLimitsOf(env);
  }

  /** At most 200 of each batch and of the single jobs of each account, and about 10,000 in all. */
  async count(): Promise<number> {
    if (!(await this.repository.readDemand()).isAnyWaiting) return 0;
    return this.database.transaction(async (transaction) => {
      const { background } = await this.repository.listInFlight(transaction);
      const lines = await this.repository.listLines(transaction);
      const ids = [...new Set(lines.map(({ accountId }) => accountId))];
      const accounts = await this.usage.listFree(transaction, ids);
      const free = new Map(accounts.map((account) => [account.accountId, account.free]));
      const hosts = new BusyHosts(this.hostLimits, background);
      const open = lines.flatMap((line) => {
        const limit = free.get(line.accountId) ?? 0;
        return limit > 0 ? { ...line, limit, busyHosts: hosts.listFor(line.batchId) } : [];
      });
      const waiting = await this.repository.listNextOrBeyond(transaction, upTo(MAX_RUNNABLE, open));
      return countRunnable(waiting, free, hosts);
    });
  }
}

/** The first of these lines that together may have so many jobs. */
function upTo(jobs: number, lines: readonly LineQuery[]): LineQuery[] {
  let left = jobs;
  return lines.filter(({ limit }) => {
    const isWithin = left > 0;
    left -= limit;
    return isWithin;
  });
}

function countRunnable(waiting: readonly WaitingJob[], free: Map<string, number>, hosts: BusyHosts): number {
  let count = 0;
  for (const job of waiting) {
    const left = free.get(job.accountId) ?? 0;
    if (left === 0 || hosts.isBusy(job)) continue;
    free.set(job.accountId, left - 1);
    hosts.add(job);
    count += 1;
  }
  return count;
}
