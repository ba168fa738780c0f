/** How many rows had ended at a time. */
export interface Sample {
  readonly atMs: number;
  readonly ended: number;
}

/** The pace is that of the latest minute. */
const WINDOW_MS = 60_000;
/** A shorter time has no pace, because rows end in bursts. */
const MIN_SPAN_MS = 3_000;

/** The samples with one more, without those that are too old; the latest of these stays as the beginning of the minute. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const begin = sample.atMs - WINDOW_MS;
  const first = samples.findLastIndex(({ atMs }) => atMs <= begin);
  return [...samples.slice(Math.max(0, first)), sample];
}

/** Rows per minute, null while that cannot be said. */
export function rowsPerMinute(samples: readonly Sample[]): number | null {
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last || last.atMs - first.atMs < MIN_SPAN_MS) return null;
  return ((last.ended - first.ended) * 60_000) / (last.atMs - first.atMs);
}

interface Span {
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** Time in ms since the first row was started, up to the end; null before. */
export function elapsedMs({ started_at: from, finished_at: to }: Span, nowMs: number): number | null {
  if (from === null) return null;
  return Math.max(0, (to === null ? nowMs : Date.parse(to)) - Date.parse(from));
}
