/**
 * `npm run bench -- isolation [--captures 24 --rounds 4 --concurrency 1,2]`: what captures of one site would gain if they
 * shared more than a browser, and what they would leak. It drives Puppeteer through the egress proxy, in alternating rounds:
 *
 * - `own context`: a new context for each capture, as in the service
 * - `connections`: one context with a new page for each; everything that Chromium can clear is cleared, including the cache
 * - `and cache`: the same, except that the HTTP cache is kept
 * - `one page`: one page for all; nothing is cleared
 *
 * docs/adr/0011-one-context-per-capture.md has the results.
 */
import { parseArgs } from 'node:util';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer';
import { ProxyAuthentication, type Egress } from '@app/browser';
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
}

/** Prepares the page of the next capture from that of the last one. */
type Way = (browser: Browser, last: Prepared, origins: readonly string[]) => Promise<Prepared>;

const WAYS: Readonly<Record<string, Way>> = {
  'own context': async (browser, last) => {
    const [next] = await Promise.all([open(browser), close(last)]);
    return next;
  },
  connections: (_, last, origins) => clearedPage(last, origins, true),
  'and cache': (_, last, origins) => clearedPage(last, origins, false),
  'one page': (_, last) => Promise.resolve(last),
};

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
  for (const [name, next] of Object.entries(WAYS)) {
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
  const sums = new Map(Object.keys(WAYS).map((name) => [name, { durations: [] as number[], elapsed: 0 }]));
  // The first round warms up.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const [name, next] of Object.entries(WAYS)) {
      const began = performance.now();
      const durations = await captureAll(next, traits, concurrency);
      const sum = sums.get(name);
      if (sum === undefined || round === 0) continue;
      sum.durations.push(...durations);
      sum.elapsed += performance.now() - began;
    }
  }
  console.log(
    `\n${traits.cacheControl}, round trip ${traits.roundTripMs} ms, concurrency ${concurrency}; compared with an own context`,
  );
  const own = sums.get('own context');
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
