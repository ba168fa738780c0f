import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { DatabaseService, type Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import { JobQueueService } from '../queue/job-queue.service.js';
import { backgroundSlots } from '../queue/queues.js';
import { slotHoldMs } from '../running/slot-hold.js';
import { WorkerRegistryService } from './worker-registry.service.js';
import { BusyHosts, type HostLimits } from './busy-hosts.js';
import {
  DispatchRepository,
  type InFlightJob,
  type LineQuery,
  type WaitingJob,
} from './dispatch.repository.js';
import { pickFairly, type Picked } from './fair-pick.js';
import { JobPriorities, type JobPriority } from './job-priorities.js';

/** Jobs in flight for each background slot: one that runs and one that is there when it ends. */
const IN_FLIGHT_PER_SLOT = 2;

/**
 * Captures of one batch that visit the same host at once, whatever an operator allows in all: nobody asks a site
 * whether it wants a batch.
 */
const BATCH_HOST_CONCURRENCY = 4;

/** What a round decided. */
interface Decision {
  readonly dispatched: readonly JobPriority[];
  /** Of entries that are in the queue already. */
  readonly overtaken: readonly JobPriority[];
}

const NOTHING: Decision = { dispatched: [], overtaken: [] };

/**
 * Gives waiting background jobs their places in the queue, which is kept short: what is not in it yet can still be
 * put in a fair order, and 10,000 jobs of one account delay no other's first. Its entries have turns, for a job whose
 * account has little in flight comes before what is in the queue already.
 *
 * A host is busy with jobs that are in flight, not only with those that run: however many workers fetch at once, it gets
 * no more visits than it is to have.
 *
 * Who dies between the commit and the hint leaves a job that is dispatched and not in the queue; the reconciler hints
 * at it again.
 */
@Injectable()
export class DispatcherService {
  private readonly turns = new JobPriorities();
  private readonly hostLimits: HostLimits;

  constructor(
    private readonly database: DatabaseService,
    private readonly repository: DispatchRepository,
    private readonly usage: UsageService,
    private readonly workers: WorkerRegistryService,
    private readonly queue: JobQueueService,
    env: Env,
  ) {
    this.hostLimits = { all: env.HOST_CONCURRENCY, ofOneBatch: BATCH_HOST_CONCURRENCY };
  }

  /** Dispatches what there is room for, unless another process is doing so; returns how many. */
  async round(): Promise<number> {
    if (!(await this.repository.isAnyWaiting())) return 0;
    const workers = await this.workers.list();
    const slots = workers.reduce((sum, worker) => sum + backgroundSlots(worker.slots), 0);
    // Without a worker nothing is to stand in the queue, not even what is always let in.
    if (slots === 0) return 0;
    const decision = await this.database.tryLockedTransaction('dispatch', (transaction) =>
      this.decide(transaction, slots),
    );
    const { dispatched, overtaken } = decision ?? NOTHING;
    await Promise.all(dispatched.map((priority) => this.hint(priority)));
    // Behind the new ones: those whose accounts had nothing in flight come first among equals.
    await Promise.all(overtaken.map((priority) => this.changePriority(priority)));
    return dispatched.length;
  }

  private async hint({ job, priority }: JobPriority): Promise<void> {
    if (await this.queue.add(job, { priority })) this.turns.tell({ job, priority });
  }

  private async changePriority({ job, priority }: JobPriority): Promise<void> {
    if (await this.queue.changePriority(job, priority)) this.turns.tell({ job, priority });
  }

  private async decide(transaction: Transaction, slots: number): Promise<Decision> {
    const inFlight = await this.repository.listInFlight(transaction);
    const overtaken = this.turns.listOvertaken(inFlight);
    const picked = await this.pick(transaction, slots, inFlight);
    return { dispatched: await this.dispatch(transaction, picked), overtaken };
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
    // Nobody is given more in one round than all may have in flight.
    const most = new Map(accounts.map(({ accountId, free }) => [accountId, Math.min(free, capacity)]));
    const open = lines
      .map((line) => ({
        ...line,
        most: most.get(line.accountId) ?? 0,
        busyHosts: hosts.listFor(line.batchId),
      }))
      .filter((line) => line.most > 0);
    const waiting = await this.listWaiting(transaction, open);
    return pickFairly(waiting, { slots, capacity, hostLimits: this.hostLimits, accounts, inFlight });
  }

  private async listWaiting(transaction: Transaction, lines: readonly LineQuery[]): Promise<WaitingJob[]> {
    const next = await this.repository.listNext(transaction, lines);
    const found = Map.groupBy(next, ({ batchId, accountId }) => batchId ?? accountId);
    const short = lines.filter(({ batchId, accountId, busyHosts }) => {
      return busyHosts.length > 0 && !found.has(batchId ?? accountId);
    });
    return short.length > 0 ? [...next, ...(await this.repository.listBeyond(transaction, short))] : next;
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
    const turns = new Map(picked.map(({ job, priority }) => [job.id, priority]));
    const jobs = await this.repository.dispatch(transaction, held);
    return jobs.map((job) => ({ job, priority: turns.get(job.id) ?? 1 }));
  }
}
