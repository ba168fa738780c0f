/**
 * The SQL that finds one page of an account's history. Its cost depends neither on the number of rows of the account nor on
 * how many of them match:
 *
 *   idempotency_key        reads one row
 *   batch_id               reads and sorts the rows of the batch, which are at most 10,000
 *   any other filter       index scans for each combination of outcome, source and format that the filter allows (kinds.ts)
 *   none, or times only    one index scan
 *
 * Indexes on single columns would not be enough: a filter whose values are frequent each, but never occur together, would
 * read all rows that match one of them.
 */
import type { Cursor } from '@app/kernel';
import { SUBJECT_OF_KEY } from '../acceptance/idempotency-key.repository.js';
import { allowedKinds, ofKinds, type KindFilter } from './kinds.js';

/** The filter of a list of jobs. */
export interface JobFilter extends KindFilter {
  readonly host?: string;
  /** What the URL starts with; only together with `host`, whose rows it reads. */
  readonly origins?: readonly string[];
  readonly reference?: string;
  readonly batchId?: string;
  /** The Idempotency-Key of the request that made the capture, or that the capture answered. */
  readonly idempotencyKey?: string;
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
  verdict: `verdict ->> 'kind' = :verdict`,
  changed: 'changed = :changed',
  hasError: `(status = 'failed') = :hasError`,
  host: 'host = :host',
  origins: 'url ^@ ANY (:origins::text[])',
  reference: 'reference = :reference',
  batchId: 'batch_id = :batchId',
  idempotencyKey: `id = ${SUBJECT_OF_KEY}`,
  createdAfter: 'created_at > :createdAfter::timestamptz',
  createdBefore: 'created_at < :createdBefore::timestamptz',
} satisfies Record<keyof JobFilter, string>;

const AFTER_CURSOR = '(created_at, id) < (to_timestamp(:cursorMs::float8 / 1000), :cursorId::uuid)';
const PAGE = 'ORDER BY created_at DESC, id DESC LIMIT :rows';

/** Returns the query for at most `limit` ids after the cursor, newest first. */
export function pageQuery(accountId: string, filter: JobFilter, { limit, cursor }: PageRequest): PageQuery {
  const { batchId, createdAfter, createdBefore, ...equal } = withoutRedundantEnd(filter, cursor);
  const start = startOf(filter, cursor);
  const times = [...conditionsOf({ createdAfter, createdBefore }), ...(start ? [AFTER_CURSOR] : [])];
  const parameters = {
    ...filter,
    accountId,
    rows: limit,
    cursorMs: start?.createdAtMs,
    cursorId: start?.id,
  };
  if (batchId !== undefined) return { sql: withinBatch([...conditionsOf(equal), ...times]), parameters };
  if (equal.idempotencyKey !== undefined)
    return { sql: pageOf([...conditionsOf(equal), ...times]), parameters };
  const { host, origins, reference } = equal;
  const isFiltered = Object.values(equal).some((value) => value !== undefined);
  if (!isFiltered) return { sql: pageOf(times), parameters };
  const conditions = [OF_ACCOUNT, SHOWN, ...conditionsOf({ host, origins, reference }), ...times];
  return { sql: ofKinds(conditions), parameters: { ...parameters, ...allowedKinds(equal) } };
}

const OF_ACCOUNT = 'account_id = :accountId';
const SHOWN = 'NOT record_deleted';

/** The conditions on the columns of `jobs`; the values are parameters with the names of the filters. */
export function conditionsOf(filter: JobFilter): string[] {
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
  return `SELECT id FROM jobs WHERE ${[OF_ACCOUNT, SHOWN, ...conditions].join(' AND ')} ${PAGE}`;
}

/** OFFSET 0 keeps the planner from searching the rows of the batch among all rows in the order of the page. */
function withinBatch(conditions: readonly string[]): string {
  return `
    SELECT id FROM (SELECT * FROM jobs WHERE batch_id = :batchId OFFSET 0) AS of_batch
     WHERE ${[OF_ACCOUNT, SHOWN, ...conditions].join(' AND ')} ${PAGE}`;
}
