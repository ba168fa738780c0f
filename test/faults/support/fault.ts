import { it } from '@jest/globals';
import { report } from './report.js';
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
