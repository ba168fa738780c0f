/**
 * `npm run bench -- isolation [--captures 24 --rounds 4 --concurrency 1,2 --ways "own context,shared"]`: what captures of one site would
 * gain if they shared more than a browser, and what they would leak. It drives Puppeteer through the egress proxy, in alternating rounds:
 *
 * - `own context`: a new context for each capture, as in the service
 * - `connections`: one context with a new page for each; everything that Chromium can clear is cleared, including the cache
 * - `and cache`: the same, except that the HTTP cache is kept
 * - `own session`: as `own context`, filled with the cookies and the storage of a session
 * - `shared`: one context with a new page for each of 50 captures; nothing is cleared
 * - `one page`: one page for all; nothing is cleared
 *
 * docs/adr/0011-one-context-per-capture.md has the results, and docs/adr/0031-rows-share-a-session-context-when-asked.md those of sessions.
 */
import { parseArgs } from 'node:util';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer';
import { ProxyAuthentication, type Egress } from '@app/browser';
import { fillState } from '@app/capture/engine';
import { loopbackEgress } from '../test/support/loopback-egress.js';
import { ALL_MARKS, findMarks, leaveMarks, MARKING_PAGES } from '../test/support/page-state.js';
import { Site } from '../test/support/site.js';
import { percentile } from './round.js';
import { serveSameSite, SITE_KEY, type SiteTraits } from './same-site.js';

const { values } = parseArgs({
  options: {
    captures: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '1,2' },
    ways: { type: 'string', default: 'own context,connections,and cache,one page' },
  },
});
const levels = values.concurrency.split(',').map(Number);

const SITES: readonly SiteTraits[] = [
  { cacheControl: 'max-age=600', roundTripMs: 0 },
  { cacheControl: 'max-age=600', roundTripMs: 30 },
  { cacheControl: 'no-cache', roundTripMs: 30 },
];

interface Prepared {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly egress: Egress;
  /** Captures that the context has made. */
  readonly made?: number;
}

/** A context that is shared serves this many captures. */
const MAX_SHARED = 50;

/** Prepares the page of the next capture from that of the last one. */
type Way = (browser: Browser, last: Prepared, origins: readonly string[]) => Promise<Prepared>;

const WAYS: Readonly<Record<string, Way>> = {
  'own context': async (browser, last) => {
    const [next] = await Promise.all([open(browser), close(last)]);
    return next;
  },
  connections: (_, last, origins) => clearedPage(last, origins, true),
  'and cache': (_, last, origins) => clearedPage(last, origins, false),
  'own session': async (browser, last, [origin = '']) => {
    const [next] = await Promise.all([open(browser), close(last)]);
    await fill(next, origin);
    return next;
  },
  shared: async (browser, last) => {
    const { made = 1 } = last;
    if (made >= MAX_SHARED) {
      await close(last);
      return open(browser);
    }
    await last.page.close();
    return { ...last, page: await last.context.newPage(), made: made + 1 };
  },
  'one page': (_, last) => Promise.resolve(last),
};

const ways = Object.entries(WAYS).filter(([name]) => values.ways.split(',').includes(name));
const egressProxies = loopbackEgress();
const browsers = await Promise.all(Array.from({ length: Math.max(...levels) }, launch));
try {
  console.log(await browsers[0]?.version());
  await printLeaks();
  for (const traits of SITES) for (const concurrency of levels) await compare(traits, concurrency);
} finally {
  await Promise.all(browsers.map((browser) => browser.close()));
}

function launch(): Promise<Browser> {
  return puppeteer.launch({
    headless: 'shell',
    executablePath: process.env.PUPPETEER_EXECUTABLE_PATH,
    pipe: true,
    defaultViewport: { width: 1280, height: 800 },
    // The pages are trusted, and as root Chromium needs a user namespace for its sandbox.
    args: ['--no-sandbox', '--disable-gpu', `--ignore-certificate-errors-spki-list=${SITE_KEY}`],
  });
}

async function open(browser: Browser): Promise<Prepared> {
  const egress = await egressProxies.open();
  const context = await browser.createBrowserContext({
    proxyServer: egress.proxyUrl,
    proxyBypassList: ['<-loopback>'],
  });
  const page = await context.newPage();
  const cdp = await page.createCDPSession();
  await new ProxyAuthentication(cdp, egress.credential).authenticate();
  await cdp.detach();
  return { context, egress, page };
}

async function close({ context, egress }: Prepared): Promise<void> {
  await egress.close();
  await context.close();
}

/** The state of a site that keeps a cookie and a token in its local storage. */
async function fill({ page }: Prepared, origin: string): Promise<void> {
  const { hostname: domain } = new URL(origin);
  const cookie = { name: 'sid', value: 'a1b2', domain, path: '/', expires: -1, httpOnly: true, secure: true };
  const state = {
    cookies: [cookie],
    origins: [{ origin, localStorage: [{ name: 'token', value: 'a1b2' }] }],
  };
  const cdp = await page.createCDPSession();
  await cdp.send('Page.enable');
  const proxyAuthentication = { authenticate: () => Promise.resolve() };
  await fillState({ page, cdp, proxyAuthentication }, state, origin);
}

/** Closes the page first: an open one could write what has just been cleared. */
async function clearedPage(
  last: Prepared,
  origins: readonly string[],
  clearsCache: boolean,
): Promise<Prepared> {
  await last.page.close();
  const page = await last.context.newPage();
  const cdp = await page.createCDPSession();
  await cdp.send('Network.clearBrowserCookies');
  for (const origin of origins) {
    await cdp.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await cdp.send('Storage.clearDataForStorageKey', { storageKey: `${origin}/`, storageTypes: 'all' });
  }
  if (clearsCache) await cdp.send('Network.clearBrowserCache');
  return { ...last, page };
}

/** Prints what the page of one capture leaves to the next one. */
async function printLeaks(): Promise<void> {
  const [browser] = browsers;
  if (browser === undefined) return;
  const site = new Site(MARKING_PAGES);
  await site.open();
  for (const [name, next] of ways) {
    let prepared = await open(browser);
    await leaveMarks(prepared.page, site.url(''));
    prepared = await next(browser, prepared, [site.url(''), site.url('', 'localhost')]);
    const found = await findMarks(prepared.page, site.url(''));
    await close(prepared);
    console.log(`${name}: ${found.length} of ${ALL_MARKS.length} marks are left: ${found.join(', ')}`);
  }
  await site.close();
}

async function compare(traits: SiteTraits, concurrency: number): Promise<void> {
  const sums = new Map(ways.map(([name]) => [name, { durations: [] as number[], elapsed: 0 }]));
  // The first round warms up.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const [name, next] of ways) {
      const began = performance.now();
      const durations = await captureAll(next, traits, concurrency);
      const sum = sums.get(name);
      if (sum === undefined || round === 0) continue;
      sum.durations.push(...durations);
      sum.elapsed += performance.now() - began;
    }
  }
  const first = ways[0]?.[0] ?? '';
  console.log(
    `\n${traits.cacheControl}, round trip ${traits.roundTripMs} ms, concurrency ${concurrency}; compared with ${first}`,
  );
  const own = sums.get(first);
  for (const [name, { durations, elapsed }] of sums) {
    const p50 = percentile(durations, 0.5);
    const gain = percentile(own?.durations ?? [], 0.5) / p50;
    const rate = (own?.elapsed ?? NaN) / elapsed;
    console.log(
      `${name.padEnd(12)} p50 ${p50.toFixed(0)} ms, ${gain.toFixed(2)} x; throughput ${rate.toFixed(2)} x`,
    );
  }
}

/** Durations in ms, without the preparation of pages. */
async function captureAll(next: Way, traits: SiteTraits, concurrency: number): Promise<number[]> {
  using site = await serveSameSite(traits);
  const durations: number[] = [];
  let taken = 0;
  const captureSome = async (browser: Browser): Promise<void> => {
    let prepared = await open(browser);
    while (taken < Number(values.captures)) {
      const url = site.urls[taken++ % site.urls.length] ?? '';
      try {
        const began = performance.now();
        await prepared.page.goto(url, { waitUntil: 'load' });
        await prepared.page.screenshot({ type: 'png' });
        durations.push(performance.now() - began);
        prepared = await next(browser, prepared, [site.origin]);
      } catch (error) {
        // Happens in contexts that are kept: the new page is closed before it has loaded anything.
        console.log(`a page was lost: ${String(error)}`);
        await close(prepared);
        prepared = await open(browser);
      }
    }
    await close(prepared);
  };
  await Promise.all(browsers.slice(0, concurrency).map(captureSome));
  return durations;
}
