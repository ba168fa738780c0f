import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { Database, type Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import { JobQueue } from '../queue/job-queue.js';
import { backgroundSlots } from '../queue/queues.js';
import { slotHoldMs } from '../slot-hold.js';
import { WorkerRegistry } from '../workers/worker-registry.js';
import { DispatchRepository, type DispatchedJob } from './dispatch.repository.js';
import { pickFairly, type Load } from './fair-pick.js';

/** Jobs in flight for each background slot: one that runs and one that is there when it ends. */
const IN_FLIGHT_PER_SLOT = 2;

/**
 * Gives waiting background jobs their places in the queue, which is kept short: what is not in it yet can still be
 * put in a fair order, and 10,000 jobs of one account delay no other's first.
 *
 * Who dies between the commit and the hint leaves a job that is dispatched and not in the queue; the reconciler hints
 * at it again.
 */
@Injectable()
export class Dispatcher {
  constructor(
    private readonly database: Database,
    private readonly repository: DispatchRepository,
    private readonly usage: UsageService,
    private readonly workers: WorkerRegistry,
    private readonly queue: JobQueue,
    private readonly env: Env,
  ) {}

  /** Dispatches what there is room for, unless another process is doing so; returns how many. */
  async round(): Promise<number> {
    if (!(await this.repository.isAnyWaiting())) return 0;
    const workers = await this.workers.list();
    const capacity = workers.reduce((sum, { slots }) => sum + IN_FLIGHT_PER_SLOT * backgroundSlots(slots), 0);
    const jobs = await this.database.transaction((transaction) => this.dispatch(transaction, capacity));
    await Promise.all(jobs.map((job) => this.queue.add(job)));
    return jobs.length;
  }

  private async dispatch(transaction: Transaction, capacity: number): Promise<DispatchedJob[]> {
    if (!(await this.repository.lead(transaction))) return [];
    const inFlight = await this.repository.countInFlight(transaction);
    const places = capacity - inFlight.reduce((sum, { jobs }) => sum + jobs, 0);
    if (places <= 0) return [];
    const waiting = await this.repository.listWaitingAccounts(transaction);
    const accounts = await this.usage.listFree(transaction, waiting);
    const next = await this.repository.listNext(
      transaction,
      accounts.map(({ accountId, free }) => ({ accountId, most: Math.min(free, places) })),
      this.busyHosts(inFlight),
    );
    const perHost = this.env.HOST_CONCURRENCY;
    const picked = pickFairly(next, { places, perHost, accounts, inFlight });
    const locked = await this.repository.lock(
      transaction,
      picked.map(({ id }) => id),
    );
    const slots = picked
      .filter(({ id }) => locked.has(id))
      .map(({ id: jobId, accountId, timeoutMs }) => ({ jobId, accountId, holdMs: slotHoldMs(timeoutMs) }));
    if (slots.length === 0) return [];
    const held = await this.usage.holdSlots(transaction, slots);
    return this.repository.dispatch(transaction, held);
  }

  private busyHosts(inFlight: readonly Load[]): string[] {
    const jobs = new Map<string, number>();
    for (const { host, jobs: count } of inFlight) {
      if (host !== null) jobs.set(host, (jobs.get(host) ?? 0) + count);
    }
    return [...jobs].filter(([, count]) => count >= this.env.HOST_CONCURRENCY).map(([host]) => host);
  }
}
