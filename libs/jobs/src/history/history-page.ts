/**
 * The SQL that finds one page of an account's history. Its cost depends neither on the number of rows of the account nor on
 * how many of them match:
 *
 *   batch_id               reads and sorts the rows of the batch, which are at most 10,000
 *   any other filter       one index scan for each combination of status, source and format that the filter allows, at
 *                          most 60. Each scan reads at most a page, in order; the newest rows of all scans are the page.
 *   none, or times only    one index scan
 *
 * Indexes on single columns would not be enough: a filter whose values are frequent each, but never occur together, would
 * read all rows that match one of them.
 */
import { FORMAT_NAMES, type Format } from '@app/capture';
import { JOB_SOURCES, JOB_STATUSES, type JobSource, type JobStatus } from '../job/job-state.js';
import type { Cursor } from './cursor.js';

/** The filter of a list of jobs. */
export interface JobFilter {
  readonly status?: JobStatus;
  readonly source?: JobSource;
  readonly format?: Format;
  readonly host?: string;
  readonly reference?: string;
  readonly batchId?: string;
  /** Exclusive, in the format of RFC 3339. */
  readonly createdAfter?: string;
  readonly createdBefore?: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: Cursor;
}

/** A statement with named parameters. */
export interface PageQuery {
  /** Selects the ids of the page. */
  readonly sql: string;
  readonly parameters: Record<string, unknown>;
}

/** The condition of each filter; no text of a caller becomes part of the SQL. */
const CONDITIONS = {
  status: 'status = :status',
  source: 'source = :source',
  format: 'format = :format',
  host: 'host = :host',
  reference: 'reference = :reference',
  batchId: 'batch_id = :batchId',
  createdAfter: 'created_at > :createdAfter::timestamptz',
  createdBefore: 'created_at < :createdBefore::timestamptz',
} satisfies Record<keyof JobFilter, string>;

const AFTER_CURSOR = '(created_at, id) < (to_timestamp(:cursorMs::float8 / 1000), :cursorId::uuid)';
const PAGE = 'ORDER BY created_at DESC, id DESC LIMIT :rows';

/** Returns the query for at most `limit` ids after the cursor, newest first. */
export function pageQuery(accountId: string, filter: JobFilter, { limit, cursor }: PageRequest): PageQuery {
  const { batchId, status, source, format, ...rest } = withoutRedundantEnd(filter, cursor);
  const start = startOf(filter, cursor);
  const conditions = ['NOT record_deleted', ...conditionsOf(rest), ...(start ? [AFTER_CURSOR] : [])];
  const parameters = {
    ...filter,
    accountId,
    rows: limit,
    cursorMs: start?.createdAtMs,
    cursorId: start?.id,
  };
  if (batchId !== undefined) {
    const sql = withinBatch([...conditionsOf({ status, source, format }), ...conditions]);
    return { sql, parameters };
  }
  const { host, reference } = rest;
  const isFiltered = [status, source, format, host, reference].some((value) => value !== undefined);
  if (!isFiltered) return { sql: pageOf(conditions), parameters };
  const allowed = {
    statuses: status === undefined ? JOB_STATUSES : [status],
    sources: source === undefined ? JOB_SOURCES : [source],
    formats: format === undefined ? FORMAT_NAMES : [format],
  };
  return { sql: ofCombinations(conditions), parameters: { ...parameters, ...allowed } };
}

function conditionsOf(filter: JobFilter): string[] {
  return Object.entries(CONDITIONS)
    .filter(([name]) => filter[name as keyof JobFilter] !== undefined)
    .map(([, condition]) => condition);
}

/**
 * An index scan with two upper bounds starts at one of them and reads all rows up to the other. So only the lower one of
 * the cursor and `createdBefore` becomes a condition. Both do within one millisecond, whose rows may be on either side.
 */
function withoutRedundantEnd(filter: JobFilter, cursor: Cursor | undefined): JobFilter {
  const { createdBefore, ...rest } = filter;
  const isRedundant = cursor && createdBefore && Date.parse(createdBefore) > cursor.createdAtMs;
  return isRedundant ? rest : filter;
}

function startOf({ createdBefore }: JobFilter, cursor: Cursor | undefined): Cursor | undefined {
  const isRedundant = cursor && createdBefore && Date.parse(createdBefore) < cursor.createdAtMs;
  return isRedundant ? undefined : cursor;
}

function pageOf(conditions: readonly string[]): string {
  return `SELECT id FROM jobs WHERE ${['account_id = :accountId', ...conditions].join(' AND ')} ${PAGE}`;
}

/** OFFSET 0 keeps the planner from searching the rows of the batch among all rows in the order of the page. */
function withinBatch(conditions: readonly string[]): string {
  return `
    SELECT id FROM (SELECT * FROM jobs WHERE batch_id = :batchId OFFSET 0) AS of_batch
     WHERE ${['account_id = :accountId', ...conditions].join(' AND ')} ${PAGE}`;
}

/** Uses the indexes jobs_by_kind, jobs_by_host and jobs_by_reference. */
function ofCombinations(conditions: readonly string[]): string {
  const of = ['status', 'source', 'format'].map((name) => `${name} = open_${name}`);
  return `
    SELECT found.id
      FROM unnest(:statuses::text[]) AS open_status, unnest(:sources::text[]) AS open_source,
           unnest(:formats::text[]) AS open_format,
           LATERAL (SELECT id, created_at FROM jobs
                     WHERE ${['account_id = :accountId', ...of, ...conditions].join(' AND ')} ${PAGE}) AS found
     ${PAGE}`;
}
