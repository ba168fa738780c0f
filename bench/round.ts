/** A number of captures of some pages by a fixed number of clients, each of which continues when it has its answer. */
export interface Round {
  readonly urls: readonly string[];
  readonly captures: number;
  readonly concurrency: number;
  /** Options of the captures; only the service takes them. */
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface RoundResult {
  /** Time in ms of each capture. */
  readonly durations: readonly number[];
  /** Time in ms of the whole round. */
  readonly elapsed: number;
}

export async function runRound(
  { urls, captures, concurrency }: Round,
  capture: (url: string) => Promise<void>,
): Promise<RoundResult> {
  const durations: number[] = [];
  const started = performance.now();
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < captures) {
      const url = urls[next++ % urls.length] ?? '';
      const began = performance.now();
      await capture(url);
      durations.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return { durations, elapsed: performance.now() - started };
}

/** Returns the value below which this share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
