import { bucketSql } from './latency.js';

/** What captures are counted by. */
export const COUNTED = ['status', 'source', 'format', 'error_code'] as const;
export const TIMED = ['queue_ms', 'total_ms'] as const;
export type Measure = (typeof COUNTED)[number] | (typeof TIMED)[number];

/** How long failed captures took would say nothing of the others: one that timed out took as long as it was given. */
const latency = (name: (typeof TIMED)[number]): string =>
  `CASE WHEN jobs.status = 'succeeded' THEN (${bucketSql(`jobs.${name}`)})::text END`;

/**
 * For a row of `jobs`, one row `(measure, value)` for each measure of it that has a value. Used both where hours are
 * summed up and where rows are read instead, so that the two cannot differ.
 */
export const MEASURES_OF_JOB = `LATERAL (VALUES
  ${[
    ...COUNTED.map((name) => `('${name}', jobs.${name})`),
    ...TIMED.map((name) => `('${name}', ${latency(name)})`),
  ].join(',\n  ')}) AS measured (measure, value)`;
