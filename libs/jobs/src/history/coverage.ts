/**
 * Divides a range of time into the parts that are read from the sums of days, from the sums of hours, and from the rows.
 *
 *   from ──┐ first full hour                                      until ┐        ┌── to
 *      rows│ hours │ days    days │ hours   rows (stale)   hours │ hours│  rows  │
 *
 * Sums exist for full hours before `until`. The incomplete hours at both ends, stale hours and everything after `until` are
 * read from rows; a day with a stale hour is read from its other hours. Times are in ms since the epoch.
 */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface Span {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export interface Coverage {
  readonly days: readonly Span[];
  readonly hours: readonly Span[];
  readonly rows: readonly Span[];
}

/** The hours for which sums exist. */
export interface Summed {
  readonly until: number;
  /** The starts of the hours before `until` whose sums are out of date. */
  readonly staleHours: readonly number[];
}

export function coverageOf(range: Span, { until, staleHours }: Summed): Coverage {
  const first = roundUp(range.from, HOUR_MS);
  const last = Math.min(roundDown(range.to, HOUR_MS), until);
  if (first >= last) return { days: [], hours: [], rows: [range] };
  const stale = staleHours.filter((hour) => hour >= first && hour < last);
  const rows = joined([
    { from: range.from, to: first },
    ...stale.map((hour) => ({ from: hour, to: hour + HOUR_MS })),
    { from: last, to: range.to },
  ]);
  const summed = spanWithout(rows, { from: first, to: last });
  const days = summed
    .map(({ from, to }) => ({ from: roundUp(from, DAY_MS), to: roundDown(to, DAY_MS) }))
    .filter(({ from, to }) => from < to);
  return { days, hours: summed.flatMap((span) => spanWithout(days, span)), rows };
}

function roundUp(time: number, step: number): number {
  return Math.ceil(time / step) * step;
}

function roundDown(time: number, step: number): number {
  return Math.floor(time / step) * step;
}

/** Returns the parts of a span outside of the gaps, which are sorted and do not touch one another. */
function spanWithout(gaps: readonly Span[], { from, to }: Span): Span[] {
  const within = gaps.filter((gap) => gap.from < to && gap.to > from);
  const starts = [from, ...within.map((gap) => gap.to)];
  const ends = [...within.map((gap) => gap.from), to];
  return starts.map((start, i) => ({ from: start, to: ends[i] ?? to })).filter((span) => span.from < span.to);
}

/** Sorts the spans, drops empty ones and joins neighbours, because each span costs an index scan. */
function joined(spans: readonly Span[]): Span[] {
  const ordered = spans.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from);
  return ordered.reduce<Span[]>((done, span) => {
    const last = done.at(-1);
    return last?.to === span.from
      ? [...done.slice(0, -1), { from: last.from, to: span.to }]
      : [...done, span];
  }, []);
}
