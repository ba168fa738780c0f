import { appendFileSync } from 'node:fs';
import { it } from '@jest/globals';
import { expectSound } from './soundness.js';
import type { World } from './world.js';

const TIMEOUT_MS = 150_000;

/** What to do to the world; resolves to what was seen, with how long the recovery took. */
type Cause = (world: World) => Promise<string>;

/**
 * A test of one fault of the matrix: after it the service is sound again, and what was seen is reported. `where` names
 * the queue's backend.
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
          // Without what the processes said, a fault that shows once in a hundred runs is never found.
          throw new Error(`${fault} ended badly. The processes said:\n${world().logs()}`, { cause: error });
        }
      },
      timeoutMs,
    );
  };
}

/** Adds a line to the table that the run prints at its end. */
function report(fault: string, where: string, seen: string): void {
  const file = process.env.FAULTS_REPORT;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ fault, where, seen })}\n`);
}

/** Starts to measure; each call of what it returns says how long it has been: `12.3 s`. */
export function stopwatch(): () => string {
  const begin = performance.now();
  return () => `${((performance.now() - begin) / 1_000).toFixed(1)} s`;
}
