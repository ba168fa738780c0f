/**
 * Which part of a range of time is read from the hourly sums and which from the rows themselves.
 *
 *   from ──┐ first full hour                 until ┐        ┌── to
 *      rows│ sums    sums   rows (stale)    sums   │  rows  │
 *
 * Sums exist for full hours before `until`. The ragged ends, stale hours and what came after `until` are read from
 * rows. Times are ms since the epoch.
 */
const HOUR_MS = 3_600_000;

export interface Span {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export interface Coverage {
  readonly sums: Span;
  readonly rows: readonly Span[];
}

export function coverageOf(range: Span, until: number, staleHours: readonly number[]): Coverage {
  const first = Math.ceil(range.from / HOUR_MS) * HOUR_MS;
  const last = Math.min(Math.floor(range.to / HOUR_MS) * HOUR_MS, until);
  if (first >= last) return { sums: { from: first, to: first }, rows: [range] };
  const stale = staleHours
    .filter((hour) => hour >= first && hour < last)
    .map((hour) => ({ from: hour, to: hour + HOUR_MS }));
  const ends = [
    { from: range.from, to: first },
    { from: last, to: range.to },
  ];
  return { sums: { from: first, to: last }, rows: joined([...ends, ...stale]) };
}

/** In order, without empty spans; neighbours are one, for each span costs a look into the index. */
function joined(spans: readonly Span[]): Span[] {
  const ordered = spans.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from);
  return ordered.reduce<Span[]>((done, span) => {
    const last = done.at(-1);
    return last?.to === span.from
      ? [...done.slice(0, -1), { from: last.from, to: span.to }]
      : [...done, span];
  }, []);
}
