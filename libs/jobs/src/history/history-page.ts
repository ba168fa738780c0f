/**
 * The SQL that finds one page of an account's history. Its cost does not depend on how much the account has stored, nor on
 * whether anything matches:
 *
 *   batch_id               the rows of the batch, which are at most 10,000, sorted
 *   any other filter       one index scan for each combination of status, source and format that the filter leaves open.
 *                          Each reads a page at most, in order, and the newest rows of all are the page.
 *   none, or times alone   one index scan
 *
 * An index on the single columns would not do: a filter whose values are each frequent, but never together, reads all
 * rows that match one of them.
 */
import { FORMAT_NAMES, type Format } from '@app/capture';
import { JOB_SOURCES, JOB_STATUSES, type JobSource, type JobStatus } from '../job/job-state.js';
import type { Cursor } from './cursor.js';

/** What a list of jobs is narrowed to. */
export interface JobFilter {
  readonly status?: JobStatus;
  readonly source?: JobSource;
  readonly format?: Format;
  readonly host?: string;
  readonly reference?: string;
  readonly batchId?: string;
  /** Exclusive, as RFC 3339. */
  readonly createdAfter?: string;
  readonly createdBefore?: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: Cursor;
}

/** SQL with named parameters. */
export interface PageQuery {
  /** Selects the ids of the page. */
  readonly sql: string;
  readonly parameters: Record<string, unknown>;
}

/** Each filter and its condition; the names are columns of ours, never a caller's text. */
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

/** At most `limit` ids, newest first; none of them is before the cursor. */
export function pageQuery(accountId: string, filter: JobFilter, { limit, cursor }: PageRequest): PageQuery {
  const { batchId, status, source, format, ...rest } = withoutRedundantEnd(filter, cursor);
  const start = startOf(filter, cursor);
  const within = ['NOT record_deleted', ...conditionsOf(rest), ...(start ? [AFTER_CURSOR] : [])];
  const parameters = {
    ...filter,
    accountId,
    rows: limit,
    cursorMs: start?.createdAtMs,
    cursorId: start?.id,
  };
  if (batchId !== undefined) {
    const sql = withinBatch([...conditionsOf({ status, source, format }), ...within]);
    return { sql, parameters };
  }
  const { host, reference } = rest;
  const isNarrowed = [status, source, format, host, reference].some((value) => value !== undefined);
  if (!isNarrowed) return { sql: pageOf(within), parameters };
  const open = {
    statuses: status === undefined ? JOB_STATUSES : [status],
    sources: source === undefined ? JOB_SOURCES : [source],
    formats: format === undefined ? FORMAT_NAMES : [format],
  };
  return { sql: ofCombinations(within), parameters: { ...parameters, ...open } };
}

function conditionsOf(filter: JobFilter): string[] {
  return Object.entries(CONDITIONS)
    .filter(([name]) => filter[name as keyof JobFilter] !== undefined)
    .map(([, condition]) => condition);
}

/**
 * Of two ends, an index scan starts at one and reads its way to the other. So only the earlier one of the cursor and
 * `createdBefore` is a condition; both are in the same millisecond, whose rows may be on either side.
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

/** OFFSET keeps the planner from looking for the rows of the batch among all rows, in the order of the page. */
function withinBatch(conditions: readonly string[]): string {
  return `
    SELECT id FROM (SELECT * FROM jobs WHERE batch_id = :batchId OFFSET 0) AS of_batch
     WHERE ${['account_id = :accountId', ...conditions].join(' AND ')} ${PAGE}`;
}

/** The indexes are jobs_by_kind, jobs_by_host and jobs_by_reference. */
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
