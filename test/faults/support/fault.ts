import { appendFileSync } from 'node:fs';
import { it } from '@jest/globals';
import { expectSound } from './soundness.js';
import type { World } from './world.js';

const TIMEOUT_MS = 150_000;

/** Causes the fault; resolves to a description of the recovery, with the time it took. */
type Cause = (world: World) => Promise<string>;

/**
 * Returns a function that tests one fault of the matrix: the service must be sound again after it, and what the cause
 * describes goes to the report. `where` names the backend of the queue.
 */
export function faultIn(where: string, world: () => World) {
  return (fault: string, promise: string, cause: Cause, timeoutMs = TIMEOUT_MS): void => {
    it(
      `${fault}: ${promise}`,
      async () => {
        try {
          await world().restore();
          const seen = await cause(world());
          await world().restore();
          await expectSound(world());
          report(fault, where, seen);
        } catch (error) {
          // A fault that shows once in a hundred runs can only be found with the logs of the processes.
          throw new Error(`${fault} failed. The logs of the processes:\n${world().logs()}`, { cause: error });
        }
      },
      timeoutMs,
    );
  };
}

/** Adds a line to the table that is printed at the end of the run. */
function report(fault: string, where: string, seen: string): void {
  const file = process.env.FAULTS_REPORT;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ fault, where, seen })}\n`);
}

/** Starts a stopwatch; each call of the returned function gives the time since then: `12.3 s`. */
export function stopwatch(): () => string {
  const begin = performance.now();
  return () => `${((performance.now() - begin) / 1_000).toFixed(1)} s`;
}
