import { peakBytes, readTree } from './process-tree.js';
import { percentile, type RoundResult } from './round.js';

/** All rounds of one contestant at one concurrency. */
export class Tally {
  readonly durations: number[] = [];
  elapsed = 0;
  cpuS = 0;
  peakBytes = 0;

  add(
    round: { durations: readonly number[]; elapsed: number },
    cost: { cpuS: number; peakBytes: number },
  ): void {
    this.durations.push(...round.durations);
    this.elapsed += round.elapsed;
    this.cpuS += cost.cpuS;
    this.peakBytes = Math.max(this.peakBytes, cost.peakBytes);
  }

  get perSecond(): number {
    return this.durations.length / (this.elapsed / 1_000);
  }

  p(share: number): number {
    return percentile(this.durations, share);
  }

  line(name: string): string {
    const captures = this.durations.length;
    const cells = [
      this.perSecond.toFixed(2),
      this.p(0.5).toFixed(0),
      this.p(0.95).toFixed(0),
      (this.cpuS / captures).toFixed(3),
      (this.peakBytes / 1e6).toFixed(0),
    ];
    return [name.padEnd(22), ...cells.map((cell) => cell.padStart(11))].join('');
  }
}

export const HEADER = ['', 'captures/s', 'p50 ms', 'p95 ms', 'CPU s each', 'peak MB']
  .map((title, i) => (i === 0 ? title.padEnd(22) : title.padStart(11)))
  .join('');

/** Adds a round to a tally, with what it cost these processes and their descendants. */
export async function measured<T extends RoundResult>(
  tally: Tally,
  pids: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  const before = readTree(pids).cpuS;
  const [result, peak] = await peakBytes(pids, work);
  tally.add(result, { cpuS: readTree(pids).cpuS - before, peakBytes: peak });
  return result;
}
