import type { AppError } from '@app/kernel';
import { allowanceExhausted, type ReservedUnits } from '@app/usage';
import type { StoredKey } from './idempotency-key.repository.js';
import type { Job } from '../job/job.entity.js';
import { toAcceptedRecord, type JobRecord } from '../job/job-record.js';
import { MAX_PLACE } from '../dispatch/queue-position.repository.js';
import type { NewJob } from './new-job.js';
import type { Added } from './new-job.repository.js';
import type { Candidate } from './submission.js';

/** What became of a candidate: stored, the repetition of an earlier request, or refused. */
export type AcceptanceOutcome =
  | { readonly kind: 'stored'; readonly job: Job; readonly record: JobRecord }
  | { readonly kind: 'known'; readonly earlier: StoredKey }
  | { readonly kind: 'refused'; readonly error: AppError };

export type Stored = AcceptanceOutcome & { readonly kind: 'stored' };

/** The request that a candidate repeats; `isTwin`: it came in the same transaction and may yet be refused. */
export type Earlier = StoredKey & { readonly isTwin?: true };

/** Units that these candidates need, by account. */
export function unitsOf(candidates: readonly Candidate[]): Map<string, number> {
  const units = new Map<string, number>();
  for (const { job } of candidates) units.set(job.accountId, (units.get(job.accountId) ?? 0) + 1);
  return units;
}

/** Those of these candidates whom the reserved units reach, first come first served. */
export function allot(
  candidates: readonly Candidate[],
  reserved: ReadonlyMap<string, ReservedUnits>,
): NewJob[] {
  const taken = new Map<string, number>();
  return candidates.flatMap(({ job }) => {
    const own = reserved.get(job.accountId);
    const before = taken.get(job.accountId) ?? 0;
    if (!own || before >= own.units) return [];
    taken.set(job.accountId, before + 1);
    return [{ ...job, usagePeriod: own.period }];
  });
}

/** The stored jobs by id, each with its record. */
export function recorded(added: readonly Added[]): Map<string, Stored> {
  const places = new Map<string, number>();
  return new Map(
    added.map(({ job, ahead }) => {
      const place = (places.get(job.accountId) ?? ahead) + 1;
      if (job.source !== 'sync') places.set(job.accountId, place);
      const record = toAcceptedRecord(job, job.source === 'sync' ? 1 : Math.min(place, MAX_PLACE));
      return [job.id, { kind: 'stored', job, record }];
    }),
  );
}

export function verdictOf(
  { job: { id } }: Candidate,
  earlier: Earlier | undefined,
  stored: ReadonlyMap<string, Stored>,
): AcceptanceOutcome {
  const own = stored.get(earlier?.subjectId ?? id);
  if (earlier && own) return { kind: 'known', earlier: { ...earlier, answer: own.record } };
  if (earlier && !earlier.isTwin) return { kind: 'known', earlier };
  return own ?? { kind: 'refused', error: allowanceExhausted(1, 0) };
}
