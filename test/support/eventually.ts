import { setTimeout as wait } from 'node:timers/promises';

const TIMEOUT_MS = 20_000;
const POLL_MS = 20;

/** Waits until `fact` holds; the test fails when it does not come true. Instead of a sleep. */
export async function eventually(
  what: string,
  fact: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await fact())) {
    if (performance.now() > deadline) throw new Error(`It did not come true in time: ${what}`);
    await wait(POLL_MS);
  }
}
