import { appendFileSync } from 'node:fs';

/** Adds a line to the table that the run prints at its end. */
export function report(fault: string, where: string, seen: string): void {
  const file = process.env.FAULTS_REPORT;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ fault, where, seen })}\n`);
}

/** Starts to measure; each call of what it returns says how long it has been: `12.3 s`. */
export function stopwatch(): () => string {
  const begin = performance.now();
  return () => `${((performance.now() - begin) / 1_000).toFixed(1)} s`;
}
