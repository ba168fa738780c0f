import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { sqlStateOf } from '@app/database';
import { JOB_SOURCES, JOB_STATUSES, type JobSource, type JobStatus } from '../job/job-state.js';
import { coverageOf, type Coverage, type Span, type Summed } from './coverage.js';
import { percentilesOf, type BucketCount, type Percentiles } from './latency.js';
import { BYTES_OF_JOB, CHARGED, COUNTED, MEASURES_OF_JOB, TIMED, type Measure } from './measures.js';

export const STATS_BUCKETS = ['hour', 'day'] as const;
export type StatsBucket = (typeof STATS_BUCKETS)[number];

/**
 * The highest number of rows that one answer reads where there are no sums, which takes a quarter of a second. There are
 * more rows when the sums are behind, after many captures in one hour or while some transaction stays open. Such an answer
 * counts only the first rows, and says up to when.
 */
export const MAX_ROWS_READ = 50_000;

/** A machine may be busy, or the rows not in memory: an answer that takes longer is read again with fewer rows. */
const FIRST_READ_MS = 3_000;
export const FEW_ROWS_READ = 5_000;
const SECOND_READ_MS = 5_000;
const QUERY_CANCELED = '57014';

/** Counts of captures, in total and by four columns, and of those that were charged. */
export interface StatsCounts {
  total: number;
  bytes: number;
  status: Record<JobStatus, number>;
  source: Record<JobSource, number>;
  format: Record<string, number>;
  error_code: Record<string, number>;
  /** The captures that were charged, by source. */
  charged: Record<JobSource, number>;
}

export interface Stats {
  /** The end of the range, or an earlier time from which on captures are not counted yet. */
  readonly countedUntilMs: number;
  readonly counts: StatsCounts;
  readonly queueMs: Percentiles | null;
  readonly totalMs: Percentiles | null;
  /** The buckets that are not empty; `startMs` is the start of the bucket in UTC. */
  readonly series: readonly (StatsCounts & { readonly startMs: number })[];
}

/** The buckets of the series, and the measures that are read. */
interface Wanted {
  readonly bucket: StatsBucket;
  readonly measures: readonly Measure[];
}

/** How many rows an answer may read, and how long each of its statements may take. */
interface Limits {
  readonly rows: number;
  readonly ms: number;
}

const COUNTS = [...COUNTED, CHARGED] as const;

interface Reading {
  readonly accountId: string;
  readonly range: Span;
  readonly wanted: Wanted;
}

interface Row {
  /** Null for a latency, which has no series. */
  readonly start_ms: number | null;
  readonly measure: Measure;
  readonly value: string;
  readonly captures: number;
  readonly bytes: number;
}

/** Statistics of an account's captures by time of creation, from the sums of days and hours, and from rows where there is no sum. */
@Injectable()
export class JobStatsRepository {
  constructor(private readonly source: DataSource) {}

  /** Counts are exact; percentiles are at most 2.5 % off (latency.ts). */
  read(accountId: string, range: Span, bucket: StatsBucket): Promise<Stats> {
    return this.readMeasures(accountId, range, { bucket, measures: [...COUNTS, ...TIMED] });
  }

  /** The counts by day, without the latencies, which are most of the sums. */
  readDays(accountId: string, range: Span): Promise<Omit<Stats, 'queueMs' | 'totalMs'>> {
    return this.readMeasures(accountId, range, { bucket: 'day', measures: COUNTS });
  }

  private async readMeasures(accountId: string, range: Span, wanted: Wanted): Promise<Stats> {
    const read = (limits: Limits) => this.readWithin(limits, { accountId, range, wanted });
    try {
      return await read({ rows: MAX_ROWS_READ, ms: FIRST_READ_MS });
    } catch (error) {
      if (sqlStateOf(error) !== QUERY_CANCELED) throw error;
      return read({ rows: FEW_ROWS_READ, ms: SECOND_READ_MS });
    }
  }

  private readWithin(limits: Limits, { accountId, range, wanted }: Reading): Promise<Stats> {
    // One snapshot, so that an hour that is being summed up is counted exactly once.
    return this.source.transaction('REPEATABLE READ', async (transaction) => {
      await transaction.query(`SELECT set_config('statement_timeout', $1, true)`, [String(limits.ms)]);
      const summed = await readSummed(transaction, accountId, range);
      const rows = coverageOf(range, summed).rows;
      const to = await readableEnd(transaction, { accountId, rows, limit: limits.rows });
      const counted = { from: range.from, to: to ?? range.to };
      const coverage = coverageOf(counted, summed);
      const dates = [[counted], ...spansOf(coverage, wanted.bucket)].flat().flatMap(datesOf);
      const counts: Row[] = await transaction.query(statsSql(coverage, wanted), [
        accountId,
        wanted.bucket,
        ...dates,
      ]);
      return { ...assemble(counts), countedUntilMs: counted.to };
    });
  }
}

async function readSummed(transaction: EntityManager, accountId: string, range: Span): Promise<Summed> {
  const [summed]: { until: Date }[] = await transaction.query(`SELECT until FROM job_hours_summed`);
  const marks: { hour: Date }[] = await transaction.query(
    `SELECT hour FROM job_hours_stale WHERE account_id = $1 AND hour >= $2 AND hour < $3`,
    [accountId, ...datesOf(range)],
  );
  return { until: summed?.until.getTime() ?? 0, staleHours: marks.map(({ hour }) => hour.getTime()) };
}

/** Returns when the first row beyond the limit was created; undefined when all rows can be read. */
async function readableEnd(
  transaction: EntityManager,
  { accountId, rows, limit }: { accountId: string; rows: readonly Span[]; limit: number },
): Promise<number | undefined> {
  const dates = rows.map(datesOf);
  const [first]: { created_at: Date }[] = await transaction.query(
    `SELECT found.created_at
       FROM unnest($2::timestamptz[], $3::timestamptz[]) AS span (since, until),
            LATERAL (SELECT created_at FROM jobs
                      WHERE account_id = $1 AND created_at >= since AND created_at < until
                      ORDER BY created_at LIMIT $4 + 1) AS found
      ORDER BY 1 OFFSET $4 LIMIT 1`,
    [accountId, dates.map(([from]) => from), dates.map(([, to]) => to), limit],
  );
  return first?.created_at.getTime();
}

function datesOf({ from, to }: Span): [Date, Date] {
  return [new Date(from), new Date(to)];
}

/** Returns the spans of days, hours and rows. Hourly buckets cannot be read from the sums of days. */
function spansOf({ days, hours, rows }: Coverage, bucket: StatsBucket): readonly (readonly Span[])[] {
  return bucket === 'day' ? [days, hours, rows] : [[], [...days, ...hours], rows];
}

/**
 * Its parameters are $1 account, $2 bucket, $3–$4 range, then two for each span of days, hours and rows. The spans are
 * written out and not joined, so that the planner sees that they are a small part of the table.
 */
function statsSql(coverage: Coverage, { bucket, measures }: Wanted): string {
  const isWanted = `measure IN (${measures.map((measure) => `'${measure}'`).join(', ')})`;
  const [days = [], hours = [], rows = []] = spansOf(coverage, bucket);
  const [firstOfHours, firstOfRows] = [5 + 2 * days.length, 5 + 2 * (days.length + hours.length)];
  return `
  WITH counted AS (
    SELECT day AS at, measure, value, captures, bytes FROM job_days
     WHERE account_id = $1 AND ${isWithin('day', days, 5)} AND captures > 0 AND ${isWanted}
    UNION ALL
    SELECT hour, measure, value, captures, bytes FROM job_hours
     WHERE account_id = $1 AND ${isWithin('hour', hours, firstOfHours)} AND ${isWanted}
    UNION ALL
    SELECT created_at, measure, value, 1, ${BYTES_OF_JOB} FROM jobs, ${MEASURES_OF_JOB}
     WHERE account_id = $1 AND ${isWithin('created_at', rows, firstOfRows)}
       AND status NOT IN ('queued', 'running') AND value IS NOT NULL AND ${isWanted}
    UNION ALL
    SELECT created_at, measure, value, 1, 0 FROM jobs, ${MEASURES_OF_JOB}
     WHERE account_id = $1 AND created_at >= $3 AND created_at < $4
       AND status IN ('queued', 'running') AND measure IN ('status', 'source', 'format'))
  SELECT (extract(epoch FROM start) * 1000)::float8 AS start_ms, measure, value,
         sum(captures)::int AS captures, sum(bytes)::float8 AS bytes
    FROM counted, LATERAL (SELECT CASE WHEN measure IN ('queue_ms', 'total_ms') THEN NULL
                                       ELSE date_trunc($2, at, 'UTC') END AS start) AS bucketed
   GROUP BY start, measure, value
   ORDER BY start, measure, captures DESC, value`;
}

function isWithin(column: string, spans: readonly Span[], first: number): string {
  const conditions = spans.map(
    (_, i) => `${column} >= $${first + 2 * i} AND ${column} < $${first + 1 + 2 * i}`,
  );
  return conditions.length === 0 ? 'false' : `(${conditions.join(' OR ')})`;
}

function assemble(rows: readonly Row[]): Omit<Stats, 'countedUntilMs'> {
  const counts = noCounts();
  const series = new Map<number, StatsCounts & { startMs: number }>();
  for (const row of rows) {
    if (row.start_ms === null) continue;
    const bucket = series.get(row.start_ms) ?? { startMs: row.start_ms, ...noCounts() };
    series.set(row.start_ms, bucket);
    add(counts, row);
    add(bucket, row);
  }
  return {
    counts,
    queueMs: percentilesOf(latenciesOf(rows, 'queue_ms')),
    totalMs: percentilesOf(latenciesOf(rows, 'total_ms')),
    series: [...series.values()],
  };
}

/** Every capture has one status, so the sum over the statuses is the total. */
function add(counts: StatsCounts, { measure, value, captures, bytes }: Row): void {
  if (measure === 'queue_ms' || measure === 'total_ms') return;
  const split: Record<string, number> = counts[measure];
  split[value] = (split[value] ?? 0) + captures;
  if (measure !== 'status') return;
  counts.total += captures;
  counts.bytes += bytes;
}

function latenciesOf(rows: readonly Row[], measure: Measure): BucketCount[] {
  return rows
    .filter((row) => row.measure === measure)
    .map(({ value, captures }) => ({ bucket: Number(value), captures }));
}

export function noCounts(): StatsCounts {
  return {
    total: 0,
    bytes: 0,
    status: zeros(JOB_STATUSES),
    source: zeros(JOB_SOURCES),
    format: {},
    error_code: {},
    charged: zeros(JOB_SOURCES),
  };
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
