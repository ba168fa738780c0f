import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import { CacheElectionService, type CacheDecision } from '../cache/cache-election.service.js';
import { slotHoldMs } from '../job/slot-hold.js';
import { sendSignal } from '../signals/signals.js';
import { AnsweredIntakeService } from './answered-intake.service.js';
import {
  coveredBy,
  answerOf,
  outcomeOf,
  subjectOf,
  toStoredJobs,
  unitsOf,
  type AcceptanceOutcome,
  type EarlierRequest,
  type StoredJob,
} from './acceptance-outcome.js';
import type { Idempotency } from './idempotency.js';
import { IdempotencyKeyRepository, nameOf, type NewKey } from './idempotency-key.repository.js';
import type { NewJob } from './new-job.js';
import { NewJobRepository } from './new-job.repository.js';

/** A new job and the key, if any, under which it was requested. */
export interface IntakeItem {
  readonly job: NewJob;
  readonly idempotency: Idempotency | undefined;
}

/** What the cache decided about synchronous jobs that ask for it, by job id. */
type Decisions = ReadonlyMap<string, CacheDecision>;

/**
 * The work of the accepting transaction, for any number of jobs of any accounts. It always takes its locks in the same
 * order: keys by name, then an entry of the cache or files that are shared, then counters by account, then the new rows, which
 * no other transaction can lock.
 */
@Injectable()
export class IntakeService {
  constructor(
    private readonly keys: IdempotencyKeyRepository,
    private readonly usage: UsageService,
    private readonly newJobs: NewJobRepository,
    private readonly elections: CacheElectionService,
    private readonly answered: AnsweredIntakeService,
  ) {}

  /**
   * Returns one outcome for each item, in their order. Jobs of one account get its allowance in that order.
   *
   * @throws AppError `concurrency_exceeded` for a synchronous job, which is therefore the only item of its call
   */
  async take(transaction: Transaction, items: readonly IntakeItem[]): Promise<AcceptanceOutcome[]> {
    const earlier = await this.takeKeys(transaction, items);
    const fresh = items.filter(({ job }) => !earlier.has(job.id));
    const decisions = await this.decide(transaction, fresh);
    const visiting = fresh.filter(({ job }) => (decisions.get(job.id)?.kind ?? 'visits') === 'visits');
    const stored = await this.store(
      transaction,
      visiting.map(({ job }) => job),
    );
    await this.lead(transaction, visiting, { decisions, stored });
    await this.settleKeys(transaction, fresh, { decisions, stored });
    return items.map(
      ({ job }) => answerOf(decisions.get(job.id)) ?? outcomeOf(job, earlier.get(job.id), stored),
    );
  }

  /** A synchronous job is the only item of its call, so that no two entries are locked. */
  private async decide(transaction: Transaction, items: readonly IntakeItem[]): Promise<Decisions> {
    const decisions = new Map<string, CacheDecision>();
    for (const { job } of items) {
      if (job.source !== 'sync' || !job.cache) continue;
      decisions.set(job.id, await this.elections.decide(transaction, job.accountId, job.cache));
    }
    return decisions;
  }

  private async lead(
    transaction: Transaction,
    items: readonly IntakeItem[],
    { decisions, stored }: { decisions: Decisions; stored: ReadonlyMap<string, StoredJob> },
  ): Promise<void> {
    for (const { job } of items) {
      const decision = decisions.get(job.id);
      if (!job.cache || decision?.kind !== 'visits' || !decision.leads || !stored.has(job.id)) continue;
      await this.elections.lead(transaction, job, job.cache);
    }
  }

  /** The earlier requests that jobs repeat, by job id. The first of several under one key counts; the others repeat it. */
  private async takeKeys(
    transaction: Transaction,
    items: readonly IntakeItem[],
  ): Promise<Map<string, EarlierRequest>> {
    const keyed = items.flatMap((item) => keyOf(item) ?? []);
    if (keyed.length === 0) return new Map();
    const first = new Map(keyed.toReversed().map((key) => [nameOf(key), key]));
    const known = await this.keys.take(transaction, [...first.values()]);
    const stored = new Map(known.map((key) => [nameOf(key), key]));
    return new Map(
      keyed.flatMap((key) => {
        const counting = first.get(nameOf(key)) ?? key;
        const inFlight: EarlierRequest | undefined =
          counting === key ? undefined : { ...counting, answer: null, isInFlight: true };
        const earlier = stored.get(nameOf(key)) ?? inFlight;
        return earlier ? [[key.subjectId, earlier] as const] : [];
      }),
    );
  }

  private async store(
    transaction: Transaction,
    newJobs: readonly NewJob[],
  ): Promise<ReadonlyMap<string, StoredJob>> {
    const answered = await this.answered.take(transaction, newJobs);
    const charged = newJobs.filter(({ id }) => !answered.has(id));
    if (charged.length === 0) return answered;
    const reserved = await this.usage.reserveWhatFits(transaction, unitsOf(charged));
    const covered = coveredBy(reserved, charged);
    for (const job of covered) await this.holdSlot(transaction, job);
    const periodOf = (accountId: string) => reserved.get(accountId)?.period;
    const stored = toStoredJobs(await this.newJobs.insert(transaction, covered, periodOf));
    // One signal is enough: it says that some job waits, not which.
    const first = covered.find(({ source }) => source !== 'sync');
    if (first) await sendSignal(transaction, 'waiting', [first.id]);
    return new Map([...answered, ...stored]);
  }

  private async holdSlot(transaction: Transaction, job: NewJob): Promise<void> {
    if (job.source !== 'sync') return;
    const { id: jobId, accountId, timeoutMs } = job;
    await this.usage.holdSlot(transaction, { accountId, jobId, holdMs: slotHoldMs(timeoutMs) });
  }

  /**
   * Releases the keys of refused jobs, and keeps the first answer of stored ones unless that answer is a file. The key of a
   * job that another capture answers stands for that capture.
   */
  private async settleKeys(
    transaction: Transaction,
    items: readonly IntakeItem[],
    { decisions, stored }: { decisions: Decisions; stored: ReadonlyMap<string, StoredJob> },
  ): Promise<void> {
    const keys = items.flatMap((item) => keyOf(item) ?? []);
    for (const key of keys) {
      const other = answerOf(decisions.get(key.subjectId));
      if (other) await this.keys.assign(transaction, { ...key, ...subjectOf(other) });
    }
    const refused = keys.filter(
      ({ subjectId }) => !stored.has(subjectId) && !answerOf(decisions.get(subjectId)),
    );
    if (refused.length > 0) await this.keys.release(transaction, refused);
    const answers = keys.flatMap((key) => {
      const own = stored.get(key.subjectId);
      return own && own.job.source !== 'sync' ? [{ ...key, answer: own.record }] : [];
    });
    if (answers.length > 0) await this.keys.keepAnswers(transaction, answers);
  }
}

function keyOf({ job: { id, accountId }, idempotency }: IntakeItem): NewKey | undefined {
  return idempotency && { ...idempotency, accountId, subjectId: id };
}
