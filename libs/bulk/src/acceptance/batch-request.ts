import type { Idempotency } from '@app/jobs';
import type { Fault } from '@app/kernel';
import type { BatchRecord } from '../batch-record.js';
import type { Batch } from '../batch.entity.js';
import type { CheckedRow } from '../parsing/row-checker.js';

/** What to do with a batch that has invalid rows: refuse all of it, or accept the other rows. */
export const ON_INVALID = ['reject', 'skip'] as const;
export type OnInvalid = (typeof ON_INVALID)[number];

/** A batch that a caller asks for; the URL of its webhook is valid. */
export interface BatchRequest {
  readonly accountId: string;
  /** In row order; iterated once. Throws when the body cannot be read as a whole. */
  readonly rows: AsyncIterable<CheckedRow>;
  /** The format of the body: whether bad rows are `invalid_csv` or `invalid_request`. */
  readonly kind: 'csv' | 'json';
  readonly onInvalid: OnInvalid;
  /** Stores nothing, and reports what would be accepted. */
  readonly dryRun: boolean;
  /** The batch whose failed rows these are. */
  readonly retryOf?: string;
  readonly webhookUrl?: string;
  /** The id of the HTTP request, for the log. */
  readonly requestId?: string;
  /** Called once all rows are read, because the fingerprint covers them. */
  readonly idempotency?: () => Idempotency | undefined;
}

/** The result of a request. */
export type BatchOutcome = AcceptedBatch | { readonly kind: 'dry_run'; readonly report: DryRunReport };

/** A batch that is accepted: each of its rows reaches a final state, whatever crashes. */
export interface AcceptedBatch {
  readonly kind: 'accepted';
  /** As it is now. The batch of a repeated request may have ended long ago. */
  readonly batch: Batch;
  /** As it was when it was accepted. */
  readonly record: BatchRecord;
  /** The faults of rejected rows, at most `MAX_FAULTS`. */
  readonly faults: readonly Fault[];
  /** Whether an earlier request with the same Idempotency-Key was accepted in its place. */
  readonly replayed: boolean;
}

/** The response to a dry run. */
export interface DryRunReport {
  readonly dry_run: true;
  readonly would_accept: boolean;
  readonly total: number;
  readonly valid: number;
  readonly rejected: number;
  /** Captures of the allowance. */
  readonly allowance: { readonly needed: number; readonly available: number };
  /** At least one of each bad row. */
  readonly errors: readonly Fault[];
  /** Further faults of these rows. */
  readonly errors_omitted: number;
}
