import type { HealthHistory } from '@capture-service/client';

type Change = HealthHistory['items'][number]['changes'][number];

/** A time in which a dependency was in one state, and how it lies in the period. */
export interface Segment {
  /** `unknown` before the first change. */
  readonly status: Change['status'] | 'unknown';
  readonly error: string | null;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Parts of the period, from 0 to 1. */
  readonly left: number;
  readonly width: number;
}

/** The states of a dependency in a period, one after the other. */
export function segmentsOf(
  changes: readonly Change[],
  { since, until }: Pick<HealthHistory, 'since' | 'until'>,
): Segment[] {
  const [startMs, endMs] = [Date.parse(since), Date.parse(until)];
  const first = changes[0];
  const known = changes.map(({ at, status, error }) => ({ atMs: Date.parse(at), status, error }));
  const isKnown = first !== undefined && Date.parse(first.at) <= startMs;
  const states = isKnown ? known : [{ atMs: startMs, status: 'unknown' as const, error: null }, ...known];
  return states.flatMap(({ atMs, status, error }, index) => {
    const fromMs = Math.max(startMs, atMs);
    const untilMs = Math.min(endMs, states[index + 1]?.atMs ?? endMs);
    if (untilMs <= fromMs) return [];
    const whole = endMs - startMs;
    return [
      { status, error, fromMs, untilMs, left: (fromMs - startMs) / whole, width: (untilMs - fromMs) / whole },
    ];
  });
}

/** How much of these times a dependency was down. */
export function downMs(segments: readonly Segment[]): number {
  return segments
    .filter(({ status }) => status === 'down')
    .reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
}
