import { JOB_STATUSES } from '../job/job-state.js';

/*
 * SQL on the rows of a batch, for statements of libs/bulk that have to see a batch and its rows at the same instant.
 * `batchId` is an SQL expression: a parameter, or a column of the surrounding statement.
 */

/** A condition: the record of some row still exists. */
export function hasRows(batchId: string): string {
  return `EXISTS (SELECT FROM jobs WHERE batch_id = ${batchId})`;
}

/**
 * A SELECT of one row about the rows of a batch: `rows`, their number; `counts`, a JSON object of their number by status;
 * `started_at`, when the first was claimed; `finished_at`, when the last one ended so far.
 */
export function selectRowSummary(batchId: string): string {
  const counts = JOB_STATUSES.map((status) => `'${status}', count(*) FILTER (WHERE status = '${status}')`);
  return `SELECT count(*) AS rows, jsonb_build_object(${counts.join(', ')}) AS counts,
                 min(started_at) AS started_at, max(finished_at) AS finished_at
            FROM jobs WHERE batch_id = ${batchId}`;
}
