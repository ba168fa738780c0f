import type { Visit } from './family.js';
import { inPage, type SafeAccess } from './in-page.js';
import { poll, WaitTimeoutError, type Deadline } from './wait.js';

/** Many a page never falls silent; after this it is taken as it is. */
export const SETTLE_MS = 5_000;
const QUIET_MS = 300;
/** A poll or an open stream in the background is no sign of a page still loading. */
const NEARLY_IDLE = { idleTime: QUIET_MS, concurrency: 2 } as const;
/** What `networkidle` means, as everywhere. */
export const NETWORK_IDLE = { idleTime: 500, concurrency: 0 } as const;

/** Waits, in bounded time, until a loaded page has its fonts and neither its network nor its document moves. */
export async function waitForIdle(visit: Visit, until: number): Promise<void> {
  const bound = Math.min(until, performance.now() + SETTLE_MS);
  const idle = waitForNetworkIdle(visit, NEARLY_IDLE, { until: bound, message: 'the network' });
  await Promise.all([ignoringTime(idle), quiet(visit, bound)]);
}

/** Waits, in bounded time, until the fonts that the page asked for are there or failed. */
export async function waitForFonts(visit: Visit, until: number): Promise<void> {
  await ignoringTime(
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
    // By its name: Puppeteer's class belongs to the engine.
    throw (error as Error).name === 'TimeoutError' ? new WaitTimeoutError(message) : error;
  }
}

async function quiet(visit: Visit, until: number): Promise<void> {
  // What was just done to the page may change it only after a while.
  const from = performance.now() + QUIET_MS;
  const isOver = async (): Promise<boolean> =>
    (await inPage(visit, isQuiet, QUIET_MS)) && performance.now() >= from;
  await ignoringTime(poll(visit, { until, message: 'the page' }, isOver));
}

/** Runs in the page: whether its fonts are there and its document has not changed for so many ms. */
function isQuiet(quietMs: number, safe: SafeAccess): boolean {
  // By a symbol: an element named like a string would be found in the place of what is kept.
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

async function ignoringTime(wait: Promise<unknown>): Promise<void> {
  try {
    await wait;
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
  }
}
