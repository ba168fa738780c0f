import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { JOB_SOURCES, JOB_STATUSES, type JobSource, type JobStatus } from '../job-state.js';
import { coverageOf, type Coverage, type Span } from './coverage.js';
import { bucketSql, percentilesOf, type BucketCount, type Percentiles } from './latency.js';

export const STATS_BUCKETS = ['hour', 'day'] as const;
export type StatsBucket = (typeof STATS_BUCKETS)[number];

/** Counts of captures, each total split four ways. */
export interface Counts {
  total: number;
  bytes: number;
  status: Record<JobStatus, number>;
  source: Record<JobSource, number>;
  format: Record<string, number>;
  error_code: Record<string, number>;
}

export interface Stats {
  readonly counts: Counts;
  readonly queueMs: Percentiles | null;
  readonly totalMs: Percentiles | null;
  /** Only the buckets that hold something; `startMs` is the beginning of the bucket, UTC. */
  readonly series: readonly (Counts & { readonly startMs: number })[];
}

type Dimension = 'status' | 'source' | 'format' | 'error_code';
const DIMENSIONS: readonly Dimension[] = ['status', 'source', 'format', 'error_code'];

type CountRow = Record<Dimension, string | null> & { start_ms: number; captures: number; bytes: number };
type LatencyRow = BucketCount & { metric: 'queue_ms' | 'total_ms' };

/** Statistics of an account's captures by time of creation: from the hourly sums, and from rows where there is none. */
@Injectable()
export class JobStats {
  constructor(private readonly source: DataSource) {}

  /** Counts are exact; percentiles are at most 2.5 % off (latency.ts). */
  read(accountId: string, range: Span, bucket: StatsBucket): Promise<Stats> {
    // One snapshot: an hour that is summed up meanwhile must be read once, not twice and not never.
    return this.source.transaction('REPEATABLE READ', async (transaction) => {
      const parts = await readCoverage(transaction, accountId, range);
      const values = [accountId, ...parts];
      const rows: CountRow[] = await transaction.query(COUNTS, [
        ...values,
        new Date(range.from),
        new Date(range.to),
        bucket,
      ]);
      const latencies: LatencyRow[] = await transaction.query(LATENCIES, values);
      return assemble(rows, latencies);
    });
  }
}

/** The parameters $2 to $6 of the queries below. */
async function readCoverage(transaction: EntityManager, accountId: string, range: Span): Promise<unknown[]> {
  const [summed]: { until: Date }[] = await transaction.query(`SELECT until FROM job_hours_summed`);
  const stale: { hour: Date }[] = await transaction.query(
    `SELECT hour FROM job_hours_stale WHERE account_id = $1 AND hour >= $2 AND hour < $3`,
    [accountId, new Date(range.from), new Date(range.to)],
  );
  const staleMs = stale.map(({ hour }) => hour.getTime());
  const { sums, rows }: Coverage = coverageOf(range, summed?.until.getTime() ?? 0, staleMs);
  return [
    new Date(sums.from),
    new Date(sums.to),
    stale.map(({ hour }) => hour),
    rows.map(({ from }) => new Date(from)),
    rows.map(({ to }) => new Date(to)),
  ];
}

const SUMMED = `account_id = $1 AND hour >= $2 AND hour < $3 AND hour <> ALL($4::timestamptz[])`;
const UNSUMMED = `unnest($5::timestamptz[], $6::timestamptz[]) AS span (from_at, to_at)
    JOIN jobs ON account_id = $1 AND created_at >= from_at AND created_at < to_at
     AND status NOT IN ('queued', 'running')`;

const COUNTS = `
  WITH counted AS (
    SELECT hour AS at, status, source, format, error_code, captures, bytes FROM job_hours WHERE ${SUMMED}
    UNION ALL
    SELECT created_at, status, source, format, coalesce(error_code, ''), 1, coalesce(bytes, 0) FROM ${UNSUMMED}
    UNION ALL
    SELECT created_at, status, source, format, '', 1, 0 FROM jobs
     WHERE account_id = $1 AND status IN ('queued', 'running') AND created_at >= $7 AND created_at < $8),
  bucketed AS (SELECT *, date_trunc($9, at, 'UTC') AS start FROM counted)
  SELECT (extract(epoch FROM start) * 1000)::float8 AS start_ms, status, source, format, error_code,
         sum(captures)::int AS captures, sum(bytes)::float8 AS bytes
    FROM bucketed
   GROUP BY GROUPING SETS ((start, status), (start, source), (start, format), (start, error_code))
   ORDER BY start, captures DESC, status, source, format, error_code`;

const LATENCIES = `
  SELECT metric, bucket, sum(captures)::int AS captures FROM (
    SELECT metric, bucket, captures FROM job_hour_latencies WHERE ${SUMMED}
    UNION ALL
    SELECT metric, ${bucketSql('ms')}, 1
      FROM ${UNSUMMED}
     CROSS JOIN LATERAL (VALUES ('queue_ms', queue_ms), ('total_ms', total_ms)) AS latency (metric, ms)
     WHERE ms IS NOT NULL) AS counted
   GROUP BY metric, bucket`;

function assemble(rows: readonly CountRow[], latencies: readonly LatencyRow[]): Stats {
  const counts = noCounts();
  const series = new Map<number, Counts & { startMs: number }>();
  for (const row of rows) {
    const bucket = series.get(row.start_ms) ?? { startMs: row.start_ms, ...noCounts() };
    series.set(row.start_ms, bucket);
    add(counts, row);
    add(bucket, row);
  }
  const of = (metric: LatencyRow['metric']): Percentiles | null =>
    percentilesOf(latencies.filter((row) => row.metric === metric));
  return { counts, queueMs: of('queue_ms'), totalMs: of('total_ms'), series: [...series.values()] };
}

/** Of the four groupings one names a row's dimension; the total is the sum over one of them. */
function add(counts: Counts, row: CountRow): void {
  const dimension = DIMENSIONS.find((name) => row[name] !== null);
  const value = dimension && row[dimension];
  if (!dimension || value === null || value === undefined) return;
  if (dimension === 'status') {
    counts.total += row.captures;
    counts.bytes += row.bytes;
  }
  // Captures without an error have the empty code.
  if (value === '') return;
  const split: Record<string, number> = counts[dimension];
  split[value] = (split[value] ?? 0) + row.captures;
}

export function noCounts(): Counts {
  return {
    total: 0,
    bytes: 0,
    status: zeros(JOB_STATUSES),
    source: zeros(JOB_SOURCES),
    format: {},
    error_code: {},
  };
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
