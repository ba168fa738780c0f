import type { AppError } from '@app/kernel';
import type { ReservedUnits } from '@app/usage';
import type { CacheDecision, CacheUse } from '../cache/sync-cache.service.js';
import type { Job } from '../job/job.entity.js';
import { toAcceptedRecord, type JobRecord } from '../job/job-record.js';
import { MAX_POSITION } from '../job/queue-position.repository.js';
import type { StoredKey } from './idempotency-key.repository.js';
import type { NewJob } from './new-job.js';
import type { InsertedJob } from './new-job.repository.js';

/**
 * The result of a new job: stored, recognised as the repetition of an earlier request, or refused. The cache answers a
 * synchronous one with a capture, or with the unfinished job that makes it.
 */
export type AcceptanceOutcome =
  | AnsweredOutcome
  | { readonly kind: 'stored'; readonly job: Job; readonly record: JobRecord }
  | { readonly kind: 'repeated'; readonly earlier: StoredKey }
  | { readonly kind: 'refused'; readonly error: AppError };

/** A synchronous job that another capture answers. */
export type AnsweredOutcome = Exclude<CacheDecision, { readonly kind: 'visits' }>;

export type StoredJob = AcceptanceOutcome & { readonly kind: 'stored' };

/** The request that a new job repeats; `isInFlight`: it is part of the same transaction, and may still be refused. */
export type EarlierRequest = StoredKey & { readonly isInFlight?: true };

/** The units that these jobs need, by account. */
export function unitsOf(jobs: readonly NewJob[]): Map<string, number> {
  const units = new Map<string, number>();
  for (const { accountId } of jobs) units.set(accountId, (units.get(accountId) ?? 0) + 1);
  return units;
}

/** Returns the jobs among these that the reserved units of their accounts cover, first come, first served. */
export function coveredBy(reserved: ReadonlyMap<string, ReservedUnits>, jobs: readonly NewJob[]): NewJob[] {
  const covered = new Map<string, number>();
  return jobs.filter(({ accountId }) => {
    const before = covered.get(accountId) ?? 0;
    covered.set(accountId, before + 1);
    return before < (reserved.get(accountId)?.units ?? 0);
  });
}

/** The inserted jobs by id, each with the record that its caller gets. */
export function toStoredJobs(inserted: readonly InsertedJob[]): Map<string, StoredJob> {
  const positions = new Map<string, number>();
  return new Map(
    inserted.map(({ job, waitingBefore }) => {
      const position = (positions.get(job.accountId) ?? waitingBefore) + 1;
      if (job.source !== 'sync') positions.set(job.accountId, position);
      const record = toAcceptedRecord(job, job.source === 'sync' ? 1 : Math.min(position, MAX_POSITION));
      return [job.id, { kind: 'stored', job, record }];
    }),
  );
}

export function outcomeOf(
  { id }: NewJob,
  earlier: EarlierRequest | undefined,
  stored: ReadonlyMap<string, StoredJob>,
): Exclude<AcceptanceOutcome, AnsweredOutcome | { kind: 'refused' }> | undefined {
  const own = stored.get(earlier?.subjectId ?? id);
  if (earlier && own) return { kind: 'repeated', earlier: { ...earlier, answer: own.record } };
  if (earlier && !earlier.isInFlight) return { kind: 'repeated', earlier };
  return own;
}

/** What an Idempotency-Key stands for when another capture answered its request. */
export function subjectOf(outcome: AnsweredOutcome): {
  readonly subjectId: string;
  readonly answer: CacheUse;
} {
  const subjectId = outcome.kind === 'cached' ? outcome.job.id : outcome.leaderId;
  return { subjectId, answer: outcome.use };
}
