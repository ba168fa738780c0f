import type { Idempotency } from '@app/jobs';
import type { Fault } from '@app/kernel';
import type { BatchRecord } from './batch-record.js';
import type { Batch } from './batch.entity.js';
import type { CheckedRow } from './reading/checked-row.js';

/** What becomes of a batch that has rows which are not valid: none of it is taken, or the others are. */
export const ON_INVALID = ['reject', 'skip'] as const;
export type OnInvalid = (typeof ON_INVALID)[number];

/** A batch that somebody asks for, its webhook's URL admitted. */
export interface BatchRequest {
  readonly accountId: string;
  /** Read once, in row order, the targets of good ones admitted; it throws when the body is not readable as a whole. */
  readonly rows: AsyncIterable<CheckedRow>;
  /** Of the body: it decides whether bad rows are `invalid_csv` or `invalid_request`. */
  readonly kind: 'csv' | 'json';
  readonly onInvalid: OnInvalid;
  /** Only says what would be accepted. */
  readonly dryRun: boolean;
  /** The batch whose failed rows these are. */
  readonly retryOf?: string;
  readonly webhookUrl?: string;
  /** Of the HTTP request, for the log. */
  readonly requestId?: string;
  /** Asked once all rows are read: it is of all that was read. */
  readonly idempotency?: () => Idempotency | undefined;
}

/** What came of a submission. */
export type BatchOutcome = AcceptedBatch | { readonly kind: 'verdict'; readonly verdict: DryRunVerdict };

/** A batch that counts as accepted: every row of it reaches a final state, whatever dies. */
export interface AcceptedBatch {
  readonly kind: 'accepted';
  /** As it is now: of a repeated request it may have ended long ago. */
  readonly batch: Batch;
  /** As it was when it was accepted. */
  readonly record: BatchRecord;
  /** Of the rows that were not valid; the first `MAX_FAULTS`. */
  readonly faults: readonly Fault[];
  /** Whether an earlier request under the same Idempotency-Key is what was accepted. */
  readonly replayed: boolean;
}

/** The answer to a dry run. */
export interface DryRunVerdict {
  readonly dry_run: true;
  readonly would_accept: boolean;
  readonly total: number;
  readonly valid: number;
  readonly rejected: number;
  /** Captures of the allowance. */
  readonly allowance: { readonly needed: number; readonly available: number };
  readonly errors: readonly Fault[];
}
