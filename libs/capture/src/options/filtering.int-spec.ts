import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { Capturing } from '../../../../test/support/capturing.js';
import { eventually } from '../../../../test/support/eventually.js';
import { filtersOf } from '../../../../test/support/filters.js';
import { IsolatingBrowser } from '../../../../test/support/isolating-browser.js';
import { Site } from '../../../../test/support/site.js';
import { nothingBlocked, type BlockedRequests } from '../record/requests.js';
import type { CaptureOptions } from '../request/capture-options.js';

/** What the filter lists of `block_ads` and the options beside it block and hide. Each name of loopback is a site of its own. */

const [NEWS, ADS, STATS, CHAT, MIXED, OTHER] = ['news', 'ads', 'stats', 'chat', 'mixed', 'other'].map(
  (name) => `${name}.localhost`,
) as [string, string, string, string, string, string];

const GREEN =
  '<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><rect width="50" height="50" fill="#00ff00"/></svg>';
const html =
  (body: () => string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>${body()}`);
  };
const answerAs =
  (type: string, body: string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body);
  };
const urlAt = (host: string, path: string): string => site.url(path, host);
const run = (code: string): string => `<script>${code}</script>`;

/** Requests in every way, to `<host>/<name>`. */
const everything = (host: string): string => `
  <img src="${urlAt(host, '/image')}"><link rel="stylesheet" href="${urlAt(host, '/style')}">
  <style>@font-face { font-family: f; src: url(${urlAt(host, '/font')}) } p { font-family: f }</style><p>text</p>
  <script src="${urlAt(host, '/script')}"></script><iframe src="${urlAt(host, '/frame')}"></iframe>
  ${run(`fetch('${urlAt(host, '/fetch')}').catch(() => 0); navigator.sendBeacon('${urlAt(host, '/beacon')}', 'x');
    new WebSocket('${urlAt(host, '/socket').replace('http', 'ws')}');
    new Worker(URL.createObjectURL(new Blob(["fetch('${urlAt(host, '/worker')}').catch(() => 0)"])))`)}`;
const WAYS = ['beacon', 'fetch', 'font', 'frame', 'image', 'script', 'socket', 'style', 'worker'];

/** Resolves when `/later` may respond. */
let held = Promise.withResolvers<void>();

const site: Site = new Site({
  '/later': (...args) =>
    void held.promise.then(() => html(() => `<script src="${urlAt(ADS, '/script')}"></script>`)(...args)),
  '/everything-of-ads': html(() => everything(ADS)),
  '/own': html(() => everything(NEWS)),
  '/paths': html(
    () => `<img src="${urlAt(OTHER, '/ad/banner.svg')}"><img src="${urlAt(OTHER, '/picture.svg')}">
      <script src="${urlAt(OTHER, '/tracking.js')}"></script><img src="${urlAt(OTHER, '/tracking.js')}">`,
  ),
  '/kinds': html(
    () => `<script src="${urlAt(ADS, '/script')}"></script><script src="${urlAt(STATS, '/script')}"></script>
      <img src="${urlAt(STATS, '/image')}"><script src="${urlAt(CHAT, '/script')}"></script>`,
  ),
  '/frames': html(
    () => `<iframe src="${urlAt(NEWS, '/inner')}"></iframe><iframe src="${urlAt(OTHER, '/inner')}"></iframe>
      <iframe srcdoc="<img src='${urlAt(ADS, '/srcdoc')}'>"></iframe><iframe id="blank"></iframe>
      ${run(`blank.contentDocument.body.innerHTML = "<img src='${urlAt(ADS, '/blank')}'>"`)}`,
  ),
  '/inner': html(
    () => `<img src="${urlAt(ADS, '/framed')}"><iframe src="${urlAt(OTHER, '/innermost')}"></iframe>`,
  ),
  '/innermost': html(() => `<img src="${urlAt(ADS, '/nested')}">`),
  '/needs': html(
    () =>
      `<script src="${urlAt(MIXED, '/needed.js')}"></script><script src="${urlAt(MIXED, '/ad.js')}"></script>`,
  ),
  '/needed.js': answerAs('text/javascript', 'document.title = "needed"'),
  '/moves': (_, response) => response.writeHead(302, { location: urlAt(ADS, '/passing') }).end(),
  '/passing': (_, response) => response.writeHead(302, { location: urlAt(STATS, '/arrived') }).end(),
  '/arrived': html(
    () => `<title>arrived</title><img src="${urlAt(STATS, '/image')}"><img src="${urlAt(ADS, '/image')}">`,
  ),
  '/boxes': html(
    () => `<style>body { margin: 0 } img, iframe { display: block; width: 50px; height: 50px; border: 0 }</style>
      <img src="${urlAt(ADS, '/image')}"><iframe src="${urlAt(ADS, '/frame')}"></iframe><img src="${urlAt(OTHER, '/picture.svg')}">`,
  ),
  '/frame-only': html(
    () =>
      `<style>iframe { width: 200px; height: 200px; border: 0 }</style><iframe src="${urlAt(ADS, '/frame')}"></iframe>`,
  ),
  '/workers': html(() =>
    run(
      `new Worker('/worker.js'); new SharedWorker('/worker.js'); navigator.serviceWorker.register('/service.js')`,
    ),
  ),
  '/around-workers': html(() => `<iframe src="${urlAt(OTHER, '/workers')}"></iframe>`),
  '/worker.js': (...args) =>
    answerAs('text/javascript', `fetch('${urlAt(MIXED, '/ad.js')}').catch(() => fetch('/tried'))`)(...args),
  '/service.js': (...args) =>
    answerAs(
      'text/javascript',
      `oninstall = (event) => event.waitUntil(fetch('${urlAt(MIXED, '/ad.js')}').catch(() => fetch('/tried')))`,
    )(...args),
  '/types': html(
    () =>
      `<iframe src="${urlAt(OTHER, '/typed')}"></iframe>${run(`for (const path of ['/xhr-own']) {
      const request = new XMLHttpRequest(); request.open('GET', path); request.send(); } fetch('/fetch-own')`)}`,
  ),
  '/typed': html(() =>
    run(`const request = new XMLHttpRequest(); request.open('GET', '/xhr-other'); request.send();
      fetch('/fetch-other'); new EventSource('/events-other'); new Worker('/typing.js')`),
  ),
  '/typing.js': answerAs(
    'text/javascript',
    `fetch('/fetch-worker'); const request = new XMLHttpRequest(); request.open('GET', '/xhr-worker'); request.send()`,
  ),
  '/image': answerAs('image/svg+xml', GREEN),
  '/picture.svg': answerAs('image/svg+xml', GREEN),
  '/ad/banner.svg': answerAs('image/svg+xml', GREEN),
  '/style': answerAs('text/css', ''),
  '/script': answerAs('text/javascript', ''),
  '/tracking.js': answerAs('text/javascript', ''),
});
const browser = new IsolatingBrowser();
let capturing: Capturing;

beforeAll(async () => {
  await site.open();
  // Frames of other sites run in processes of their own.
  capturing = await Capturing.open(1, { settings: await browser.open() });
});
afterAll(async () => {
  await capturing.close();
  await Promise.all([site.close(), browser.close()]);
});
beforeEach(() => {
  site.forget();
});

const LISTS = filtersOf({
  ads: `||${ADS}^\n/ad/banner.\n||${MIXED}^\n@@||${MIXED}^*/needed.js$script\n||${NEWS}^`,
  trackers: `||${STATS}^\n/tracking.js$script`,
  chats: `||${CHAT}^`,
  annoyances: '',
});

interface Outcome {
  readonly blocked: Partial<BlockedRequests>;
  readonly failed: number;
  readonly title: string | null;
  /** The paths that were requested, per host. */
  readonly seen: (host: string) => string[];
}

async function capture(url: string, options: Partial<CaptureOptions>, filters = LISTS): Promise<Outcome> {
  const { facts } = await capturing.capture(
    url,
    { wait_until: 'networkidle', ...options },
    { filters: () => filters },
  );
  const nothing = nothingBlocked();
  const counts = Object.entries(facts.blocked) as [keyof BlockedRequests, number][];
  return {
    blocked: Object.fromEntries(counts.filter(([kind, count]) => count !== nothing[kind])),
    failed: facts.failedRequests,
    title: facts.title,
    seen: (host) =>
      site.requests
        .filter(({ headers }) => headers.host?.startsWith(`${host}:`))
        .map(({ url: path = '' }) => path.slice(1))
        .sort(),
  };
}

describe('the options of the caller', () => {
  it('block URLs in frames of other processes and in workers', async () => {
    const block_urls = ['*/nested', '*/ad.js', '*/innermost'];
    const frames = await capture(urlAt(NEWS, '/frames'), { block_urls });
    expect(frames.seen(ADS)).toEqual(['blank', 'framed', 'framed', 'srcdoc']);
    expect(frames.blocked).toEqual({ rules: 2 });
    const workers = await capture(urlAt(NEWS, '/around-workers'), {
      block_urls,
      wait_until: 'load',
      delay_ms: 1_000,
    });
    expect(workers.seen(MIXED)).toEqual([]);
    expect(workers.blocked).toEqual({ rules: 3 });
  });

  it('distinguish fetch, XHR and EventSource, also in other processes and workers', async () => {
    const paths = [
      'events-other',
      'fetch-other',
      'fetch-own',
      'fetch-worker',
      'xhr-other',
      'xhr-own',
      'xhr-worker',
    ];
    const without = async (type: string): Promise<string[]> => {
      site.forget();
      const { seen } = await capture(urlAt(NEWS, '/types'), { block_resource_types: [type], delay_ms: 300 });
      const loaded = [...seen(NEWS), ...seen(OTHER)];
      return paths.filter((path) => !loaded.includes(path));
    };
    expect(await without('fetch')).toEqual(['fetch-other', 'fetch-own', 'fetch-worker']);
    expect(await without('xhr')).toEqual(['xhr-other', 'xhr-own', 'xhr-worker']);
    expect(await without('eventsource')).toEqual(['events-other']);
    expect(await without('image')).toEqual([]);
  });
});

describe('block_ads and the options beside it', () => {
  it('block a host whatever is requested of it, and count it once as an advertisement, not as failed', async () => {
    const { blocked, failed, seen } = await capture(urlAt(NEWS, '/everything-of-ads'), { block_ads: true });
    expect(seen(ADS)).toEqual([]);
    expect(blocked).toEqual({ ads: WAYS.length });
    expect(failed).toBe(0);
  });

  it('block nothing by default, and each only its own kind', async () => {
    const none = await capture(urlAt(NEWS, '/everything-of-ads'), {});
    expect(none.seen(ADS)).toEqual(WAYS);
    expect(none.blocked).toEqual({});
    const chats = await capture(urlAt(NEWS, '/kinds'), { block_chats: true });
    expect(chats.blocked).toEqual({ chats: 1 });
    expect(chats.seen(STATS)).toEqual(['image', 'script']);
  });

  it('follow clean, and an explicit one wins', async () => {
    expect((await capture(urlAt(NEWS, '/kinds'), { clean: true })).blocked).toEqual({
      ads: 1,
      trackers: 2,
      chats: 1,
    });
    const except = await capture(urlAt(NEWS, '/kinds'), { clean: true, block_trackers: false });
    expect(except.blocked).toEqual({ ads: 1, chats: 1 });
  });

  it('block by path and by type', async () => {
    const { blocked, seen } = await capture(urlAt(NEWS, '/paths'), { clean: true });
    expect(seen(OTHER)).toEqual(['picture.svg', 'tracking.js']);
    expect(blocked).toEqual({ ads: 1, trackers: 1 });
  });

  it('never block the site of the target', async () => {
    const { blocked, seen } = await capture(urlAt(NEWS, '/own'), { clean: true });
    expect(seen(NEWS).filter((path) => WAYS.includes(path))).toEqual(WAYS);
    expect(blocked).toEqual({});
  });

  it('never block what the target redirects to, nor the sites on the way', async () => {
    const { blocked, title, seen } = await capture(urlAt(NEWS, '/moves'), { clean: true });
    expect(title).toBe('arrived');
    expect(seen(STATS)).toEqual(['arrived', 'image']);
    expect(blocked).toEqual({});
  });

  it('never block the target itself, although a list names it', async () => {
    expect(await capture(urlAt(ADS, '/arrived'), { clean: true })).toMatchObject({
      title: 'arrived',
      blocked: { trackers: 1 },
    });
  });

  it('let a request pass that a list excepts, also in the proxy', async () => {
    const { blocked, title, seen } = await capture(urlAt(NEWS, '/needs'), { block_ads: true });
    expect(seen(MIXED)).toEqual(['needed.js']);
    expect(title).toBe('needed');
    expect(blocked).toEqual({ ads: 1 });
  });

  it('block in frames of any kind', async () => {
    const { blocked, seen } = await capture(urlAt(NEWS, '/frames'), { block_ads: true });
    expect(seen(ADS)).toEqual([]);
    expect(seen(OTHER)).toEqual(['inner', 'innermost', 'innermost']);
    expect(blocked).toEqual({ ads: 6 });
  });

  it('apply to html with and without a base_url, and without JavaScript', async () => {
    const page = `<title>t</title><img src="${urlAt(ADS, '/image')}"><img src="${urlAt(STATS, '/image')}">`;
    for (const options of [
      { base_url: urlAt(STATS, '/') },
      { base_url: urlAt(STATS, '/'), javascript: false },
    ]) {
      const { facts } = await capturing.capture(
        null,
        { html: page, clean: true, ...options },
        { filters: () => LISTS },
      );
      expect(facts.blocked).toEqual({ ...nothingBlocked(), ads: 1 });
    }
    const { facts } = await capturing.capture(null, { html: page, clean: true }, { filters: () => LISTS });
    expect(facts).toMatchObject({ title: 't', blocked: { ads: 1, trackers: 1 } });
  });

  it('go together with headers, basic authentication and the options of the caller', async () => {
    const { blocked, seen } = await capture(urlAt(NEWS, '/kinds'), {
      clean: true,
      headers: { 'x-preview': 'yes' },
      basic_auth_username: 'u',
      basic_auth_password: 'p',
      block_urls: [`*${STATS}*/image`],
    });
    expect(blocked).toEqual({ ads: 1, trackers: 1, chats: 1, rules: 1 });
    expect(seen(ADS).concat(seen(STATS))).toEqual([]);
    const [own] = site.requestsTo('/kinds');
    expect(own?.headers).toMatchObject({
      'x-preview': 'yes',
      authorization: expect.stringMatching(/^Basic /),
    });
  });

  it('block in dedicated, shared and service workers, of the page and of a frame', async () => {
    for (const [path, by] of [
      [urlAt(NEWS, '/workers'), NEWS],
      [urlAt(NEWS, '/around-workers'), OTHER],
    ] as const) {
      site.forget();
      const { blocked, seen } = await capture(path, { block_ads: true, wait_until: 'load', delay_ms: 1_000 });
      expect(seen(MIXED)).toEqual([]);
      expect(seen(by).filter((name) => name === 'tried')).toHaveLength(3);
      expect(blocked).toEqual({ ads: 3 });
    }
  });

  it('remove the boxes of what was blocked, and leave no error page in a frame', async () => {
    const filters = (): typeof LISTS => LISTS;
    const boxes = await capturing.picture(urlAt(NEWS, '/boxes'), { block_ads: true }, { filters });
    expect(boxes.colourAt(25, 25)).toBe('00ff00');
    const rules = await capturing.picture(urlAt(NEWS, '/frame-only'), { block_urls: ['*/frame'] });
    expect(new Set([20, 60, 100, 140, 180].map((y) => rules.colourAt(100, y)))).toEqual(new Set(['ffffff']));
  });

  it('use the lists of the start of a capture to its end', async () => {
    let current = LISTS;
    const filters = (): typeof LISTS => current;
    held = Promise.withResolvers();
    const slow = capturing.capture(
      urlAt(NEWS, '/later'),
      { block_ads: true, wait_until: 'networkidle' },
      { filters },
    );
    await eventually('the page was requested', () => site.requestsTo('/later').length > 0);
    current = filtersOf({});
    held.resolve();
    expect((await slow).facts.blocked.ads).toBe(1);
    const next = await capturing.capture(urlAt(NEWS, '/kinds'), { block_ads: true }, { filters });
    expect(next.facts.blocked.ads).toBe(0);
  });
});
