import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { DatabaseService, type Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import { slotHoldMs } from '../job/slot-hold.js';
import { JobQueue } from '../queue/job-queue.js';
import { backgroundSlots } from '../queue/lanes.js';
import { BusyHosts, type HostLimits } from './busy-hosts.js';
import {
  DispatchRepository,
  type InFlightJob,
  type LineQuery,
  type WaitingJob,
} from './dispatch.repository.js';
import { pickFairly, type Picked } from './fair-pick.js';
import { JobPriorities, type JobPriority } from './job-priorities.js';
import { WorkerRegistryService } from '../workers/worker-registry.service.js';

/** Jobs in flight for each background slot: one that runs, and one that can start as soon as it ends. */
const IN_FLIGHT_PER_SLOT = 2;

/** Captures of one batch that visit the same host at once, however many the operator allows in all, to protect the site. */
const BATCH_HOST_CONCURRENCY = 4;

/** The result of a round. */
interface Decision {
  readonly dispatched: readonly JobPriority[];
  /** New priorities for entries that are already in the queue. */
  readonly outdated: readonly JobPriority[];
}

const NOTHING: Decision = { dispatched: [], outdated: [] };

/**
 * Moves waiting background jobs into the queue. The queue is kept short, because only jobs outside of it can still be
 * put in a fair order: 10,000 jobs of one account must not delay the first job of another. Entries have priorities, so
 * that the jobs of an account with little in flight run before older entries of others.
 *
 * The limit of a host counts all jobs in flight, not only running ones, so that it holds however many workers fetch
 * entries at once.
 *
 * A process that dies between the commit and the call of the queue leaves a dispatched job without an entry; the
 * reconciler adds it again.
 */
@Injectable()
export class DispatcherService {
  private readonly priorities = new JobPriorities();
  private readonly hostLimits: HostLimits;

  constructor(
    private readonly database: DatabaseService,
    private readonly repository: DispatchRepository,
    private readonly usage: UsageService,
    private readonly workers: WorkerRegistryService,
    private readonly queue: JobQueue,
    env: Env,
  ) {
    this.hostLimits = { all: env.HOST_CONCURRENCY, ofOneBatch: BATCH_HOST_CONCURRENCY };
  }

  /** Dispatches jobs up to the capacity of the workers, unless another process is doing so; returns how many. */
  async round(): Promise<number> {
    if (!(await this.repository.isAnyWaiting())) return 0;
    const workers = await this.workers.list();
    const slots = workers.reduce((sum, worker) => sum + backgroundSlots(worker.slots), 0);
    // Without a worker nothing is dispatched, not even for accounts below their share.
    if (slots === 0) return 0;
    const decision = await this.database.tryLockedTransaction('dispatch', (transaction) =>
      this.decide(transaction, slots),
    );
    const { dispatched, outdated } = decision ?? NOTHING;
    await Promise.all(dispatched.map((priority) => this.add(priority)));
    // After the new entries, which therefore come first among equal priorities: their accounts had nothing in flight.
    await Promise.all(outdated.map((priority) => this.changePriority(priority)));
    return dispatched.length;
  }

  private async add({ job, priority }: JobPriority): Promise<void> {
    if (await this.queue.add(job, { priority })) this.priorities.set({ job, priority });
  }

  private async changePriority({ job, priority }: JobPriority): Promise<void> {
    if (await this.queue.changePriority(job, priority)) this.priorities.set({ job, priority });
  }

  private async decide(transaction: Transaction, slots: number): Promise<Decision> {
    const inFlight = await this.repository.listInFlight(transaction);
    const outdated = this.priorities.listOutdated(inFlight);
    const picked = await this.pick(transaction, slots, inFlight);
    return { dispatched: await this.dispatch(transaction, picked), outdated };
  }

  private async pick(
    transaction: Transaction,
    slots: number,
    inFlight: readonly InFlightJob[],
  ): Promise<Picked<WaitingJob>[]> {
    const lines = await this.repository.listLines(transaction);
    const accounts = await this.usage.listFree(transaction, [
      ...new Set(lines.map(({ accountId }) => accountId)),
    ]);
    const capacity = IN_FLIGHT_PER_SLOT * slots;
    const hosts = new BusyHosts(this.hostLimits, inFlight);
    // More than the capacity is never dispatched in one round.
    const limits = new Map(accounts.map(({ accountId, free }) => [accountId, Math.min(free, capacity)]));
    const open = lines
      .map((line) => ({
        ...line,
        limit: limits.get(line.accountId) ?? 0,
        busyHosts: hosts.listFor(line.batchId),
      }))
      .filter((line) => line.limit > 0);
    const waiting = await this.listWaiting(transaction, open);
    return pickFairly(waiting, { slots, inAll: capacity, hostLimits: this.hostLimits, accounts, inFlight });
  }

  private async listWaiting(transaction: Transaction, lines: readonly LineQuery[]): Promise<WaitingJob[]> {
    const next = await this.repository.listNext(transaction, lines);
    const found = Map.groupBy(next, ({ batchId, accountId }) => batchId ?? accountId);
    const blocked = lines.filter(({ batchId, accountId, busyHosts }) => {
      return busyHosts.length > 0 && !found.has(batchId ?? accountId);
    });
    return blocked.length > 0 ? [...next, ...(await this.repository.listBeyond(transaction, blocked))] : next;
  }

  private async dispatch(
    transaction: Transaction,
    picked: readonly Picked<WaitingJob>[],
  ): Promise<JobPriority[]> {
    const locked = await this.repository.lock(
      transaction,
      picked.map(({ job }) => job.id),
    );
    const slots = picked
      .filter(({ job }) => locked.has(job.id))
      .map(({ job }) => ({ jobId: job.id, accountId: job.accountId, holdMs: slotHoldMs(job.timeoutMs) }));
    if (slots.length === 0) return [];
    const held = await this.usage.holdSlots(transaction, slots);
    const priorities = new Map(picked.map(({ job, priority }) => [job.id, priority]));
    const jobs = await this.repository.dispatch(transaction, held);
    return jobs.map((job) => ({ job, priority: priorities.get(job.id) ?? 1 }));
  }
}
