import type { Visit } from './family.js';
import { inPage, type SafeAccess } from './in-page.js';
import { endsInTime, poll, WaitTimeoutError, type Deadline } from './wait.js';

/** Some pages never become idle; after this they are captured as they are. */
export const SETTLE_MS = 5_000;
const QUIET_MS = 300;
/** A page that polls or holds a stream open in the background counts as idle. */
const NEARLY_IDLE = { idleTime: QUIET_MS, concurrency: 2 } as const;
/** The usual definition of `networkidle`. */
export const NETWORK_IDLE = { idleTime: 500, concurrency: 0 } as const;

/** Waits, for a bounded time, until a loaded page has its fonts and its network and DOM are quiet. */
export async function waitForIdle(visit: Visit, until: number): Promise<void> {
  const bound = Math.min(until, performance.now() + SETTLE_MS);
  const idle = waitForNetworkIdle(visit, NEARLY_IDLE, { until: bound, message: 'the network' });
  await Promise.all([endsInTime(idle), waitForQuietDom(visit, bound)]);
}

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
  idle: typeof NEARLY_IDLE | typeof NETWORK_IDLE,
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

async function waitForQuietDom(visit: Visit, until: number): Promise<void> {
  // The page may react late to what was just done to it.
  const from = performance.now() + QUIET_MS;
  const isOver = async (): Promise<boolean> =>
    (await inPage(visit, isQuiet, QUIET_MS)) && performance.now() >= from;
  await endsInTime(poll(visit, { until, message: 'the page' }, isOver));
}

/** Runs in the page. Whether its fonts have loaded and its DOM has not changed for `quietMs`. */
function isQuiet(quietMs: number, safe: SafeAccess): boolean {
  // Under a symbol: an element's name could shadow a string.
  const lastChange = Symbol.for('lastChange');
  const world = globalThis as typeof globalThis & { [lastChange]?: number };
  if (world[lastChange] === undefined) {
    world[lastChange] = performance.now();
    new MutationObserver(() => {
      world[lastChange] = performance.now();
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  }
  return safe(document).fonts.status === 'loaded' && performance.now() - world[lastChange] >= quietMs;
}
