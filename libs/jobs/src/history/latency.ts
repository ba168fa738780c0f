/**
 * Latencies are stored as counts in buckets that grow by 5 %, so that the counts of hours can be added up. A percentile
 * that is read from them is at most 2.5 % off, and exact below 20 ms, where a bucket holds one value.
 */
const GROWTH = 1.05;
/** The bucket of 0 ms, which has no logarithm. */
const ZERO = -1;

/** The SQL expression of a value's bucket; null for null. */
export function bucketSql(column: string): string {
  return `CASE WHEN ${column} <= 0 THEN ${ZERO} WHEN ${column} > 0 THEN floor(ln(${column}) / ln(${GROWTH}::float8))::int END`;
}

export interface BucketCount {
  readonly bucket: number;
  readonly captures: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Returns the percentiles in ms by nearest rank; null when nothing was counted. */
export function percentilesOf(counts: readonly BucketCount[]): Percentiles | null {
  const ascending = [...counts].sort((a, b) => a.bucket - b.bucket);
  const total = ascending.reduce((sum, { captures }) => sum + captures, 0);
  if (total === 0) return null;
  const at = (share: number): number => valueAt(ascending, Math.ceil(share * total));
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function valueAt(ascending: readonly BucketCount[], rank: number): number {
  let seen = 0;
  for (const { bucket, captures } of ascending) {
    seen += captures;
    if (seen >= rank) return bucket === ZERO ? 0 : Math.round(GROWTH ** (bucket + 0.5));
  }
  throw new RangeError(`There is no rank ${rank} among ${seen}`);
}
