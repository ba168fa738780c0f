import type { FieldError } from '@capture-service/client';
import { CliError } from '../context/cli-error.js';
import { EXIT } from '../context/exit-codes.js';
import type { Submission } from './batch-plan.js';
import { faultFacts, type RowFault } from './row-faults.js';
import { RefusedRowsError, type BatchSubmitter } from './batch-submitter.js';

/**
 * Validates a list that is too long for one batch, before the first one is submitted: a fault in the last row, or an allowance
 * that is too small, would be found when the others are charged.
 *
 * @throws RefusedRowsError with the faults of all rows
 * @throws CliError if the allowance does not cover all rows
 */
export async function checkPlan(
  submitter: BatchSubmitter,
  plan: readonly Submission[],
  skipInvalid: boolean,
): Promise<void> {
  const faults: FieldError[] = [];
  let [needed, available, offset] = [0, Infinity, 0];
  for (const submission of plan) {
    const verdict = await submitter.check(submission);
    faults.push(...verdict.faults.map((fault) => moved(fault, offset)));
    needed += verdict.needed;
    available = Math.min(available, verdict.available);
    offset += submission.rows.length;
  }
  if (faults.length > 0 && !skipInvalid) {
    const rows = plan.flatMap((submission) => submission.rows);
    throw new RefusedRowsError(faults, rows);
  }
  if (needed <= available) return;
  throw new CliError(
    `The list needs ${needed} captures, and the allowance has ${available} left. Nothing is captured.`,
    { exitCode: EXIT.notAllowed, code: 'allowance_exhausted' },
  );
}

function moved(fault: FieldError, offset: number): FieldError {
  return fault.row === undefined ? fault : { ...fault, row: fault.row + offset };
}

/** The failure of a list with invalid rows, whose table is printed. */
export function refusedRows(faults: readonly RowFault[], isPartial: boolean): CliError {
  const count = new Set(faults.flatMap(({ source }) => source ?? [])).size;
  const what = count === 0 ? 'The header of the CSV is' : count === 1 ? '1 row is' : `${count} rows are`;
  const advice = count === 0 ? '' : ', or capture the other rows with --skip-invalid';
  return new CliError(
    `${isPartial ? 'At least ' : ''}${what} not valid, and nothing is captured. Correct the list${advice}.`,
    {
      code: 'invalid_request',
      facts: { errors: faultFacts(faults) },
    },
  );
}
