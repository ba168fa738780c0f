import { bucketSql } from './latency.js';

/** The columns by which captures are counted. */
export const COUNTED = ['status', 'source', 'format', 'error_code'] as const;
export const TIMED = ['queue_ms', 'total_ms'] as const;
/** By source, the captures that were charged. It cannot be derived from the sums of status and source. */
export const CHARGED = 'charged';
export type Measure = (typeof COUNTED)[number] | (typeof TIMED)[number] | typeof CHARGED;

/** The capture shows the files of another one: the cache answered, without a visit. */
const IS_CACHED = `coalesce(jobs.origin_id <> jobs.id, false)`;

/**
 * Failed captures are left out: one that timed out took as long as its timeout, which says nothing about the others. So are
 * those that the cache answered, which waited for nothing.
 */
const latency = (name: (typeof TIMED)[number]): string =>
  `CASE WHEN jobs.status = 'succeeded' AND NOT ${IS_CACHED} THEN (${bucketSql(`jobs.${name}`)})::text END`;

/** One of these has exactly one entry in the ledger, written when it succeeded. */
const CHARGED_SOURCE = `CASE WHEN jobs.status = 'succeeded' AND NOT ${IS_CACHED} THEN jobs.source END`;

/** The size of the files that a row of `jobs` made. Files that several captures show count once. */
export const BYTES_OF_JOB = `CASE WHEN ${IS_CACHED} THEN 0 ELSE coalesce(jobs.total_bytes, 0) END`;

/**
 * Expands a row of `jobs` into one row `(measure, value)` for each measure. It is used both to sum up hours and to read
 * rows directly, so that the two cannot differ.
 */
export const MEASURES_OF_JOB = `LATERAL (VALUES
  ${[
    ...COUNTED.map((name) => `('${name}', jobs.${name})`),
    `('${CHARGED}', ${CHARGED_SOURCE})`,
    ...TIMED.map((name) => `('${name}', ${latency(name)})`),
  ].join(',\n  ')}) AS measured (measure, value)`;
