import type { BatchOutcome, BatchRecord, DryRunReport } from '@app/bulk';
import type { Fault } from '@app/kernel';
import type { Response } from 'express';
import { markReplay } from '../http/idempotency.js';

/** The record of a batch as it was accepted, with the faults of the rows that were not valid. */
export type AcceptedRecord = BatchRecord & { readonly errors: readonly Fault[] };

/** What a submission is answered with; the status is 202, or 200 when nothing was asked to be accepted. */
export function answerOf(outcome: BatchOutcome, response: Response): AcceptedRecord | DryRunReport {
  if (outcome.kind === 'dry_run') {
    response.status(200);
    return outcome.report;
  }
  const { record, faults, replayed } = outcome;
  markReplay(response, replayed);
  response.location(`/v1/bulk/${record.id}`);
  return { ...record, errors: faults };
}
