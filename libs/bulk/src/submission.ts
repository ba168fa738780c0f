import type { Idempotency } from '@app/jobs';
import type { CheckedRow } from './reading/checked-row.js';

/** What becomes of a batch that has rows which are not valid: none of it is taken, or the others are. */
export const ON_INVALID = ['reject', 'skip'] as const;
export type OnInvalid = (typeof ON_INVALID)[number];

/** A batch that somebody asks for, its webhook's URL admitted. */
export interface BatchSubmission {
  readonly accountId: string;
  /** Read once, in row order; it throws when the body is not readable as a whole. */
  readonly rows: AsyncIterable<CheckedRow>;
  /** Of the body: it decides whether bad rows are `invalid_csv` or `invalid_request`. */
  readonly kind: 'csv' | 'json';
  readonly onInvalid: OnInvalid;
  /** Only says what would be accepted. */
  readonly dryRun: boolean;
  readonly webhookUrl?: string;
  /** Of the HTTP request, for the log. */
  readonly requestId?: string;
  /** Asked once all rows are read: it is of all that was read. */
  readonly idempotency?: () => Idempotency | undefined;
}
