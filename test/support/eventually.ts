import { setTimeout as wait } from 'node:timers/promises';

const TIMEOUT_MS = 20_000;
const FIRST_POLL_MS = 10;
/** A look is often a request to the service: fifty of them in a second would take a third of a core from the other specs. */
const MAX_POLL_MS = 100;
const GROWTH = 1.3;

/** Polls until `fact` holds, less often the longer it takes; throws when it does not in time. Tests use this instead of a sleep. */
export async function eventually(
  what: string,
  fact: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let pollMs = FIRST_POLL_MS;
  while (!(await fact())) {
    if (performance.now() > deadline) throw new Error(`Timed out waiting until ${what}`);
    await wait(pollMs);
    pollMs = Math.min(pollMs * GROWTH, MAX_POLL_MS);
  }
}
