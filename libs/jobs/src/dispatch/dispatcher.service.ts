import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { JobQueue } from '../queue/job-queue.js';
import { backgroundSlots } from '../queue/lanes.js';
import { DispatchDecisionService, type Decision } from './dispatch-decision.service.js';
import { DispatchRepository } from './dispatch.repository.js';
import { JobPriorities, type JobPriority } from './job-priorities.js';
import { WorkerRegistryService } from '../workers/worker-registry.service.js';

/** The result of a round. */
interface Round extends Decision {
  /** New priorities for entries that are already in the queue. */
  readonly outdated: readonly JobPriority[];
}

const NOTHING: Round = { dispatched: [], followers: 0, outdated: [] };

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

  constructor(
    private readonly database: DatabaseService,
    private readonly repository: DispatchRepository,
    private readonly decisions: DispatchDecisionService,
    private readonly workers: WorkerRegistryService,
    private readonly queue: JobQueue,
  ) {}

  /**
   * Dispatches jobs up to the capacity of the workers, unless another process is doing so. Returns how many jobs wait no
   * more, because they were dispatched or follow another job.
   */
  async round(): Promise<number> {
    if (!(await this.repository.isAnyWaiting())) return 0;
    const workers = await this.workers.list();
    const slots = workers.reduce((sum, worker) => sum + backgroundSlots(worker.slots), 0);
    // Without a worker nothing is dispatched, not even for accounts below their share.
    if (slots === 0) return 0;
    const round = await this.database.tryLockedTransaction('dispatch', (transaction) =>
      this.decide(transaction, slots),
    );
    const { dispatched, followers, outdated } = round ?? NOTHING;
    await Promise.all(dispatched.map((priority) => this.add(priority)));
    // After the new entries, which therefore come first among equal priorities: their accounts had nothing in flight.
    await Promise.all(outdated.map((priority) => this.changePriority(priority)));
    return dispatched.length + followers;
  }

  private async add({ job, priority }: JobPriority): Promise<void> {
    if (await this.queue.add(job, { priority })) this.priorities.set({ job, priority });
  }

  private async changePriority({ job, priority }: JobPriority): Promise<void> {
    if (await this.queue.changePriority(job, priority)) this.priorities.set({ job, priority });
  }

  private async decide(transaction: Transaction, slots: number): Promise<Round> {
    const inFlight = await this.repository.listInFlight(transaction);
    const outdated = this.priorities.listOutdated(inFlight);
    return { ...(await this.decisions.decide(transaction, { slots, inFlight })), outdated };
  }
}
