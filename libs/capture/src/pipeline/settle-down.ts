import type { Visit } from './family.js';
import { inPage, type Bare } from './in-page.js';
import { poll, WaitRanOutError } from './patience.js';

/** Many a page never falls silent; after this it is taken as it is. */
const SETTLE_MS = 5_000;
const QUIET_MS = 300;
/** A poll or an open stream in the background is no sign of a page still loading. */
const IDLE_REQUESTS = 2;

/** Waits, in bounded time, until a loaded page has its fonts and neither its network nor its document moves. */
export async function settleDown(visit: Visit, until: number): Promise<void> {
  const bound = Math.min(until, performance.now() + SETTLE_MS);
  await Promise.all([networkIdle(visit, bound), quiet(visit, bound)]);
}

/** Waits, in bounded time, until the fonts that the page asked for are there or failed. */
export async function fontsReady(visit: Visit, until: number): Promise<void> {
  await ignoringTime(
    poll(visit, { until, otherwise: 'the fonts' }, () =>
      inPage(visit, (_, bare) => bare(document).fonts.status === 'loaded', null),
    ),
  );
}

async function networkIdle(visit: Visit, until: number): Promise<void> {
  const timeout = Math.max(1, Math.round(until - performance.now()));
  await ignoringTime(
    visit.page.waitForNetworkIdle({
      idleTime: QUIET_MS,
      concurrency: IDLE_REQUESTS,
      timeout,
      signal: visit.signal,
    }),
  );
}

async function quiet(visit: Visit, until: number): Promise<void> {
  await ignoringTime(poll(visit, { until, otherwise: 'the page' }, () => inPage(visit, isQuiet, QUIET_MS)));
}

/** Runs in the page: whether its fonts are there and its document has not changed for so many ms. */
function isQuiet(quietMs: number, bare: Bare): boolean {
  // By a symbol: an element named like a string would be found in the place of what is kept.
  const lastChange = Symbol.for('lastChange');
  const world = globalThis as typeof globalThis & { [lastChange]?: number };
  if (world[lastChange] === undefined) {
    world[lastChange] = performance.now();
    new MutationObserver(() => {
      world[lastChange] = performance.now();
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  }
  return bare(document).fonts.status === 'loaded' && performance.now() - world[lastChange] >= quietMs;
}

async function ignoringTime(wait: Promise<unknown>): Promise<void> {
  try {
    await wait;
  } catch (error) {
    // Ours and Puppeteer's.
    const ranOut =
      error instanceof WaitRanOutError || (error instanceof Error && error.name === 'TimeoutError');
    if (!ranOut) throw error;
  }
}
