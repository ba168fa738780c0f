/** One colour of a stacked chart: a value of each day. */
export interface Layer {
  readonly key: string;
  readonly label: string;
  /** A CSS variable. */
  readonly color: string;
  readonly values: readonly number[];
}

const STEPS = [1, 2, 5];
const DAY_STEPS = [1, 2, 7, 14, 28, 56, 91, 182, 364];

/** The tops of the layers: each contains those before it. */
export function stackTops(layers: readonly Layer[]): number[][] {
  const tops: number[][] = [];
  for (const { values } of layers) {
    const below = tops.at(-1);
    tops.push(values.map((value, day) => value + (below?.[day] ?? 0)));
  }
  return tops;
}

/** Whole numbers from 0 to above `max`, of which about `ticks` are shown. */
export function valueTicks(max: number, ticks = 4): number[] {
  const rough = Math.max(1, max / ticks);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((each) => each * power >= rough) ?? 10) * power;
  const last = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: last + 1 }, (_, i) => i * step);
}

/** Indexes of the days that have a label, so that at most `fitting` of `count` have one; the last day always has. */
export function dayTicks(count: number, fitting: number): number[] {
  const step = DAY_STEPS.find((each) => count / each <= fitting) ?? Math.ceil(count / fitting);
  const ticks: number[] = [];
  for (let day = count - 1; day >= 0; day -= step) ticks.unshift(day);
  return ticks;
}
