import type { Visit } from '../pipeline/family.js';
import { inPage } from '../pipeline/in-page.js';
import { endsInTime, poll, WaitTimeoutError, type Deadline } from '../pipeline/wait.js';

/** The usual definition of `networkidle`. */
export const NETWORK_IDLE = { idleTime: 500, concurrency: 0 } as const;

/** Waits, for a bounded time, until the fonts of the page have loaded or failed. */
export async function waitForFonts(visit: Visit, until: number): Promise<void> {
  await endsInTime(
    poll(visit, { until, message: 'the fonts' }, () =>
      inPage(visit, (_, safe) => safe(document).fonts.status === 'loaded', null),
    ),
  );
}

/** @throws WaitTimeoutError */
export async function waitForNetworkIdle(
  visit: Visit,
  idle: typeof NETWORK_IDLE,
  { until, message }: Deadline,
): Promise<void> {
  const timeout = Math.max(1, Math.round(until - performance.now()));
  try {
    await visit.page.waitForNetworkIdle({ ...idle, timeout, signal: visit.signal });
  } catch (error) {
    // Checked by name: importing Puppeteer's class would load Puppeteer into the API.
    throw (error as Error).name === 'TimeoutError' ? new WaitTimeoutError(message) : error;
  }
}
