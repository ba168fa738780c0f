import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { JobQueue } from '../queue/job-queue.js';
import { backgroundSlots } from '../queue/lanes.js';
import { DispatchDecisionService, type Decision } from './dispatch-decision.service.js';
import { DispatchRepository } from './dispatch.repository.js';
import { listOutdatedPriorities, type JobPriority } from './job-priorities.js';
import { WorkerRegistryService } from '../workers/worker-registry.service.js';

/** The result of a round. */
interface Round extends Decision {
  /** New priorities for entries that are already in the queue. */
  readonly outdated: readonly JobPriority[];
}

const NO_DECISION: Decision = { dispatched: [], followers: 0 };
const NOTHING: Round = { ...NO_DECISION, outdated: [] };

/**
 * Moves waiting background jobs into the queue. The queue is kept short, because only jobs outside of it can still be
 * put in a fair order: 10,000 jobs of one account must not delay the first job of another. Entries have priorities, so
 * that the jobs of an account with little in flight run before older entries of others. A round also keeps the priorities of
 * synchronous captures current, which the API adds to the queue by itself.
 *
 * The limit of a host counts all jobs in flight, not only running ones, so that it holds however many workers fetch
 * entries at once.
 *
 * A process that dies between the commit and the call of the queue leaves a dispatched job without an entry; the
 * reconciler adds it again.
 */
@Injectable()
export class DispatcherService {
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
    const { isAnyWaiting, isAnyBehind } = await this.repository.readDemand();
    if (!isAnyWaiting && !isAnyBehind) return 0;
    const workers = await this.workers.listTaking();
    const slots = workers.reduce((sum, worker) => sum + backgroundSlots(worker.slots), 0);
    // Without a worker nothing is dispatched, not even for accounts below their share.
    if (slots === 0) return 0;
    const round = await this.database.tryLockedTransaction('dispatch', (transaction) =>
      this.decide(transaction, isAnyWaiting ? slots : 0),
    );
    const { dispatched, followers, outdated } = round ?? NOTHING;
    await Promise.all(dispatched.map(({ job, priority }) => this.queue.add(job, { priority })));
    // After the new entries, which therefore come first among equal priorities: their accounts had nothing in flight.
    await this.changePriorities(outdated);
    return dispatched.length + followers;
  }

  /** A priority that the queue did not take is out of date in the next round, too. */
  private async changePriorities(outdated: readonly JobPriority[]): Promise<void> {
    const areChanged = await Promise.all(
      outdated.map(({ job, priority }) => this.queue.changePriority(job, priority)),
    );
    const changed = outdated.filter((_, index) => areChanged[index]);
    if (changed.length > 0) await this.repository.keepPriorities(changed);
  }

  /** @param slots background slots of all workers; 0 if no job waits in the database */
  private async decide(transaction: Transaction, slots: number): Promise<Round> {
    const inFlight = await this.repository.listInFlight(transaction);
    const all = [...inFlight.interactive, ...inFlight.background];
    const decision =
      slots === 0 ? NO_DECISION : await this.decisions.decide(transaction, { slots, inFlight });
    return { ...decision, outdated: listOutdatedPriorities(all) };
  }
}
