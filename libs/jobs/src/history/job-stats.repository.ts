import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { JOB_SOURCES, JOB_STATUSES, type JobSource, type JobStatus } from '../job-state.js';
import { coverageOf, type Coverage, type Span } from './coverage.js';
import { percentilesOf, type BucketCount, type Percentiles } from './latency.js';
import { MEASURES_OF_JOB, type Measure } from './measures.js';

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

interface Row {
  /** Null for a latency, of which there is no series. */
  readonly start_ms: number | null;
  readonly measure: Measure;
  readonly value: string;
  readonly captures: number;
  readonly bytes: number;
}

/** Statistics of an account's captures by time of creation: from the hourly sums, and from rows where there is none. */
@Injectable()
export class JobStats {
  constructor(private readonly source: DataSource) {}

  /** Counts are exact; percentiles are at most 2.5 % off (latency.ts). */
  read(accountId: string, range: Span, bucket: StatsBucket): Promise<Stats> {
    // One snapshot: an hour that is summed up meanwhile must be read once, not twice and not never.
    return this.source.transaction('REPEATABLE READ', async (transaction) => {
      const { sums, rows, stale } = await readCoverage(transaction, accountId, range);
      const values = [accountId, bucket, ...[range, sums].flatMap(datesOf), stale, ...rows.flatMap(datesOf)];
      return assemble(await transaction.query(statsSql(rows.length), values));
    });
  }
}

async function readCoverage(
  transaction: EntityManager,
  accountId: string,
  range: Span,
): Promise<Coverage & { stale: Date[] }> {
  const [summed]: { until: Date }[] = await transaction.query(`SELECT until FROM job_hours_summed`);
  const marks: { hour: Date }[] = await transaction.query(
    `SELECT hour FROM job_hours_stale WHERE account_id = $1 AND hour >= $2 AND hour < $3`,
    [accountId, ...datesOf(range)],
  );
  const stale = marks.map(({ hour }) => hour);
  const staleMs = stale.map((hour) => hour.getTime());
  return { ...coverageOf(range, summed?.until.getTime() ?? 0, staleMs), stale };
}

function datesOf({ from, to }: Span): [Date, Date] {
  return [new Date(from), new Date(to)];
}

/**
 * $1 account, $2 bucket, $3–$4 range, $5–$6 sums, $7 stale hours, then two for each span of rows. The spans are
 * written out, not joined: only so does the planner see that they are a small part of the table.
 */
function statsSql(spans: number): string {
  const within = Array.from(
    { length: spans },
    (_, i) => `(created_at >= $${8 + 2 * i} AND created_at < $${9 + 2 * i})`,
  );
  return `
  WITH counted AS (
    SELECT hour AS at, measure, value, captures, bytes FROM job_hours
     WHERE account_id = $1 AND hour >= $5 AND hour < $6 AND hour <> ALL($7::timestamptz[])
    UNION ALL
    SELECT created_at, measure, value, 1, coalesce(bytes, 0) FROM jobs, ${MEASURES_OF_JOB}
     WHERE account_id = $1 AND (${within.join(' OR ') || 'false'})
       AND status NOT IN ('queued', 'running') AND value IS NOT NULL
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

function assemble(rows: readonly Row[]): Stats {
  const counts = noCounts();
  const series = new Map<number, Counts & { startMs: number }>();
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

/** Every capture has one status, so the total is the sum over them. */
function add(counts: Counts, { measure, value, captures, bytes }: Row): void {
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
