import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import type { AppError } from '@app/kernel';
import { UsageService } from '@app/usage';
import { JobCacheService, type AskingJob } from '../cache/job-cache.service.js';
import { SyncCacheService } from '../cache/sync-cache.service.js';
import { toAcceptedRecord } from '../job/job-record.js';
import { slotHoldMs } from '../job/slot-hold.js';
import { sendSignal } from '../signals/signals.js';
import { AccountRoomService } from './account-room.service.js';
import {
  coveredBy,
  outcomeOf,
  subjectOf,
  toStoredJobs,
  unitsOf,
  type AcceptanceOutcome,
  type AnsweredOutcome,
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

/** The period of the allowance of jobs that reserve nothing. */
const NO_PERIOD = 'none';

/** What the cache decided about synchronous jobs that ask for it. */
interface Decisions {
  /** The outcomes of those that make no visit of their own, by job id. */
  readonly answers: ReadonlyMap<string, AnsweredOutcome>;
  /** The ids of those that lead if they are stored. */
  readonly leaders: ReadonlySet<string>;
}

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
    private readonly room: AccountRoomService,
    private readonly syncCache: SyncCacheService,
    private readonly jobCache: JobCacheService,
  ) {}

  /**
   * Returns one outcome for each item, in their order. Jobs of one account get its allowance in that order.
   *
   * @throws AppError `concurrency_exceeded` for a synchronous job, which is therefore the only item of its call
   */
  async accept(transaction: Transaction, items: readonly IntakeItem[]): Promise<AcceptanceOutcome[]> {
    const earlier = await this.claimKeys(transaction, items);
    const fresh = items.filter(({ job }) => !earlier.has(job.id));
    const { answers, leaders } = await this.decide(transaction, fresh);
    const visiting = fresh.map(({ job }) => job).filter(({ id }) => !answers.has(id));
    const { stored, full } = await this.store(transaction, visiting);
    for (const job of visiting) {
      if (job.cache && leaders.has(job.id) && stored.has(job.id)) {
        await this.syncCache.makeLeader(transaction, job, job.cache);
      }
    }
    await this.updateKeys(transaction, fresh, { answers, stored });
    const outcomes = items.map(
      ({ job }) => answers.get(job.id) ?? outcomeOf(job, earlier.get(job.id), stored),
    );
    const refused = items.filter((_, i) => outcomes[i] === undefined);
    const refusals = await this.refusalsOf(transaction, refused, full);
    return items.map(({ job }, i) => outcomes[i] ?? refusedBy(refusals, job));
  }

  /** Why accounts did not get items in, by account; `full` are those with a limit that is reached. */
  private async refusalsOf(
    transaction: Transaction,
    refused: readonly IntakeItem[],
    full: ReadonlyMap<string, AppError>,
  ): Promise<ReadonlyMap<string, AppError>> {
    const refusals = new Map(full);
    for (const accountId of new Set(refused.map(({ job }) => job.accountId))) {
      if (refusals.has(accountId)) continue;
      refusals.set(accountId, await this.usage.refusalOf(transaction, accountId, 1));
    }
    return refusals;
  }

  /** A synchronous job is the only item of its call, so that no two entries are locked. */
  private async decide(transaction: Transaction, items: readonly IntakeItem[]): Promise<Decisions> {
    const answers = new Map<string, AnsweredOutcome>();
    const leaders = new Set<string>();
    for (const { job } of items) {
      if (job.source !== 'sync' || !job.cache) continue;
      const decision = await this.syncCache.elect(transaction, job.accountId, job.cache);
      if (decision.kind !== 'visits') answers.set(job.id, decision);
      else if (decision.leads) leaders.add(job.id);
    }
    return { answers, leaders };
  }

  /** The earlier requests that jobs repeat, by job id. The first of several under one key counts; the others repeat it. */
  private async claimKeys(
    transaction: Transaction,
    items: readonly IntakeItem[],
  ): Promise<Map<string, EarlierRequest>> {
    const keyed = items.flatMap((item) => keyOf(item) ?? []);
    if (keyed.length === 0) return new Map();
    const first = new Map(keyed.toReversed().map((key) => [nameOf(key), key]));
    const known = await this.keys.claim(transaction, [...first.values()]);
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

  private async store(transaction: Transaction, newJobs: readonly NewJob[]): Promise<StoredJobs> {
    const answered = await this.storeAnswered(transaction, newJobs);
    const charged = newJobs.filter(({ id }) => !answered.has(id));
    if (charged.length === 0) return { stored: answered, full: new Map() };
    const reserved = await this.usage.reserveWhatFits(transaction, unitsOf(charged));
    const { jobs: covered, refusals: full } = await this.room.fit(
      transaction,
      reserved,
      coveredBy(reserved, charged),
    );
    const numbers = await this.holdSlots(transaction, covered);
    const periodOf = (accountId: string) => reserved.get(accountId)?.period;
    const numbered = covered.map((job) => ({ ...job, priority: numbers.get(job.id) ?? null }));
    const stored = toStoredJobs(await this.newJobs.insert(transaction, numbered, periodOf));
    // One signal is enough: it says that some job waits, not which.
    const first = covered.find(({ source }) => source !== 'sync');
    if (first) await sendSignal(transaction, 'waiting', [first.id]);
    return { stored: new Map([...answered, ...stored]), full };
  }

  /** Stores the jobs that the cache answers, and that cost nothing; returns them by id. The others are not stored. */
  private async storeAnswered(
    transaction: Transaction,
    newJobs: readonly NewJob[],
  ): Promise<ReadonlyMap<string, StoredJob>> {
    const found = await this.jobCache.findAnswers(transaction, newJobs.flatMap(toAsking));
    if (found.length === 0) return new Map();
    const inserted = new Set(found.map(({ jobId }) => jobId));
    await this.newJobs.insert(
      transaction,
      newJobs.filter(({ id }) => inserted.has(id)),
      () => NO_PERIOD,
    );
    const ended = await this.jobCache.answerNew(transaction, found);
    const stored = new Map(
      ended.map((job) => [job.id, { kind: 'stored', job, record: toAcceptedRecord(job, 1) } as const]),
    );
    // A capture may lose its files after it was found. Its jobs are then stored like those that it never answered.
    const unanswered = [...inserted].filter((id) => !stored.has(id));
    if (unanswered.length > 0) await this.newJobs.remove(transaction, unanswered);
    return stored;
  }

  /** Takes the slots of synchronous jobs; returns their numbers among the captures that their accounts have in progress. */
  private async holdSlots(
    transaction: Transaction,
    jobs: readonly NewJob[],
  ): Promise<ReadonlyMap<string, number>> {
    const numbers = new Map<string, number>();
    for (const { id: jobId, accountId, source, timeoutMs, isLogIn } of jobs) {
      if (source !== 'sync' || isLogIn) continue;
      const slot = { accountId, jobId, holdMs: slotHoldMs(timeoutMs) };
      numbers.set(jobId, await this.usage.holdSlot(transaction, slot));
    }
    return numbers;
  }

  /**
   * Releases the keys of refused jobs, and keeps the first answer of stored ones unless that answer is a file. The key of a
   * job that another capture answers stands for that capture.
   */
  private async updateKeys(
    transaction: Transaction,
    items: readonly IntakeItem[],
    { answers, stored }: Pick<Decisions, 'answers'> & { readonly stored: ReadonlyMap<string, StoredJob> },
  ): Promise<void> {
    const keys = items.flatMap((item) => keyOf(item) ?? []);
    for (const key of keys) {
      const other = answers.get(key.subjectId);
      if (other) await this.keys.assign(transaction, { ...key, ...subjectOf(other) });
    }
    const refused = keys.filter(({ subjectId }) => !stored.has(subjectId) && !answers.has(subjectId));
    if (refused.length > 0) await this.keys.release(transaction, refused);
    const records = keys.flatMap((key) => {
      const own = stored.get(key.subjectId);
      return own && own.job.source !== 'sync' ? [{ ...key, answer: own.record }] : [];
    });
    if (records.length > 0) await this.keys.keepAnswers(transaction, records);
  }
}

function keyOf({ job: { id, accountId }, idempotency }: IntakeItem): NewKey | undefined {
  return idempotency && { ...idempotency, accountId, subjectId: id };
}

/** A synchronous capture gets no row when the cache answers it. */
function toAsking({ id: jobId, accountId, source, cache }: NewJob): AskingJob[] {
  return cache === null || source === 'sync' ? [] : [{ ...cache, jobId, accountId }];
}

/** Jobs that were stored, by id, and why accounts with a limit got no others in. */
interface StoredJobs {
  readonly stored: ReadonlyMap<string, StoredJob>;
  readonly full: ReadonlyMap<string, AppError>;
}

function refusedBy(refusals: ReadonlyMap<string, AppError>, { accountId }: NewJob): AcceptanceOutcome {
  const error = refusals.get(accountId);
  if (!error) throw new Error('A job was neither stored nor refused.');
  return { kind: 'refused', error };
}
