import { setTimeout as wait } from 'node:timers/promises';

const TIMEOUT_MS = 20_000;
const POLL_MS = 20;

/** Polls until `fact` holds; throws when it does not in time. Tests use this instead of a sleep. */
export async function eventually(
  what: string,
  fact: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await fact())) {
    if (performance.now() > deadline) throw new Error(`Timed out waiting until ${what}`);
    await wait(POLL_MS);
  }
}
