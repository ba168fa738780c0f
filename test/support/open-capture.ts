import type { CaptureFacts, ChangeReport } from '@app/capture';
import { AttemptsService, type Success } from '@app/jobs';
import { AppError } from '@app/kernel';
import { SUCCESS } from './jobs.js';
import type { StartedModules } from './modules.js';

/** What a worker finds when it makes the open capture of an account. */
export interface FoundByCapture {
  readonly change?: Partial<ChangeReport>;
  readonly verdict?: CaptureFacts['verdict'];
  readonly fails?: boolean;
}

/** Ends the open capture of an account, as a worker does. */
export async function endOpenCapture(
  { app, database }: StartedModules,
  accountId: string,
  found: FoundByCapture,
): Promise<void> {
  await database.query(`UPDATE jobs SET dispatched_at = clock_timestamp() WHERE status = 'queued'`);
  const { rows } = await database.query<{ id: string; compared: string }>(
    `SELECT id, options ->> 'compare_with' AS compared FROM jobs
      WHERE account_id = $1 AND status = 'queued' ORDER BY created_at LIMIT 1`,
    [accountId],
  );
  const [open] = rows;
  if (!open) throw new Error('No capture is open.');
  const attempts = app.get(AttemptsService, { strict: false });
  const job = await attempts.claim(open.id, 'worker');
  const attempt = { id: open.id, attempt: job?.attempt ?? 0 };
  if (found.fails === true) await attempts.fail(attempt, new AppError('target_dns_error'));
  else await attempts.succeed(attempt, successOf(open.compared, found));
}

function successOf(compared: string, { change = {}, verdict }: FoundByCapture): Success {
  return {
    ...SUCCESS,
    change: compared === 'previous' ? null : changeReport(compared, change),
    facts: { ...SUCCESS.facts, ...(verdict !== undefined && { verdict }) },
  };
}

function changeReport(comparedWith: string, more: Partial<ChangeReport>): ChangeReport {
  return {
    compared_with: comparedWith,
    failure: null,
    changed: false,
    ratio: 0,
    boxes: [],
    size_changed: false,
    text_changed: false,
    noise: [],
    lines: [],
    summary: null,
    ...more,
  };
}
