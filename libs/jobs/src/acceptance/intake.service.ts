import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { UsageService } from '@app/usage';
import { IdempotencyKeyRepository, nameOf, type NewKey } from './idempotency-key.repository.js';
import { JobRepository } from '../job/job.repository.js';
import { slotHoldMs } from '../running/slot-hold.js';
import {
  allot,
  recorded,
  unitsOf,
  verdictOf,
  type Earlier,
  type Stored,
  type AcceptanceOutcome,
} from './allotment.js';
import type { NewJob } from './new-job.js';
import { NewJobRepository } from './new-job.repository.js';
import type { Candidate } from './submission.js';

/**
 * What the accepting transaction does, for one candidate or for many, of any accounts. Its locks are taken in one
 * order, whoever calls: keys by name, then counters by account, then the new rows, which nobody else can lock.
 */
@Injectable()
export class IntakeService {
  constructor(
    private readonly keys: IdempotencyKeyRepository,
    private readonly usage: UsageService,
    private readonly newJobs: NewJobRepository,
    private readonly repository: JobRepository,
  ) {}

  /**
   * One verdict for each candidate, in their order. Candidates of one account get its allowance in that order.
   *
   * @throws AppError `concurrency_exceeded` of a synchronous candidate, which therefore comes alone
   */
  async take(transaction: Transaction, candidates: readonly Candidate[]): Promise<AcceptanceOutcome[]> {
    const earlier = await this.takeKeys(transaction, candidates);
    const fresh = candidates.filter(({ job }) => !earlier.has(job.id));
    const stored = await this.store(transaction, fresh);
    await this.settleKeys(transaction, fresh, stored);
    return candidates.map((candidate) => verdictOf(candidate, earlier.get(candidate.job.id), stored));
  }

  /** What candidates repeat, by their ids. Of several under one key the first counts, and the others repeat it. */
  private async takeKeys(
    transaction: Transaction,
    candidates: readonly Candidate[],
  ): Promise<Map<string, Earlier>> {
    const keyed = candidates.flatMap((candidate) => keyOf(candidate) ?? []);
    if (keyed.length === 0) return new Map();
    const first = new Map(keyed.toReversed().map((key) => [nameOf(key), key]));
    const known = await this.keys.take(transaction, [...first.values()]);
    const stored = new Map(known.map((key) => [nameOf(key), key]));
    return new Map(
      keyed.flatMap((key) => {
        const counts = first.get(nameOf(key)) ?? key;
        const own: Earlier | undefined =
          counts === key ? undefined : { ...counts, answer: null, isTwin: true };
        const earlier = stored.get(nameOf(key)) ?? own;
        return earlier ? [[key.subjectId, earlier] as const] : [];
      }),
    );
  }

  private async store(
    transaction: Transaction,
    candidates: readonly Candidate[],
  ): Promise<ReadonlyMap<string, Stored>> {
    if (candidates.length === 0) return new Map();
    const jobs = allot(candidates, await this.usage.reserveWhatFits(transaction, unitsOf(candidates)));
    for (const job of jobs) await this.holdSlot(transaction, job);
    const stored = recorded(await this.newJobs.addAll(transaction, jobs));
    // One is enough: it says that somebody waits, not who.
    const first = jobs.find(({ source }) => source !== 'sync');
    if (first) await this.repository.signal(transaction, 'waiting', first.id);
    return stored;
  }

  private async holdSlot(transaction: Transaction, job: NewJob): Promise<void> {
    if (job.source !== 'sync') return;
    const { id: jobId, accountId, timeoutMs } = job;
    await this.usage.holdSlot(transaction, { accountId, jobId, holdMs: slotHoldMs(timeoutMs) });
  }

  /** What was refused keeps no key; what was stored keeps its first answer, unless somebody waits for its file. */
  private async settleKeys(
    transaction: Transaction,
    candidates: readonly Candidate[],
    stored: ReadonlyMap<string, Stored>,
  ): Promise<void> {
    const keys = candidates.flatMap((candidate) => keyOf(candidate) ?? []);
    const refused = keys.filter(({ subjectId }) => !stored.has(subjectId));
    if (refused.length > 0) await this.keys.release(transaction, refused);
    const answers = keys.flatMap((key) => {
      const own = stored.get(key.subjectId);
      return own && own.job.source !== 'sync' ? [{ ...key, answer: own.record }] : [];
    });
    if (answers.length > 0) await this.keys.keepAnswers(transaction, answers);
  }
}

function keyOf({ job: { id, accountId }, idempotency }: Candidate): NewKey | undefined {
  return idempotency && { ...idempotency, accountId, subjectId: id };
}
