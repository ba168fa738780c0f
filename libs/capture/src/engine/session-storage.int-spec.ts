import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CaptureOptions } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { instantiate } from '@app/kernel';
import { onePagePool } from '../../../../test/support/browser.js';
import { noFilters } from '../../../../test/support/filters.js';
import { Site } from '../../../../test/support/site.js';
import type { Captured } from '../findings/captured.js';
import type { OriginState, SessionUse, StateDatabase } from '../pipeline/browser-state.js';

const TOKENS: StateDatabase = {
  name: 'tokens',
  version: 7,
  stores: [
    {
      name: 'users',
      keyPath: 'id',
      autoIncrement: false,
      indexes: [],
      records: [{ value: { id: 1, token: 'indexed' } }],
    },
  ],
};
const EMPTY: StateDatabase = { name: 'empty', version: 2, stores: [] };

/** Tells what a document finds at its very beginning: the list of databases, a record, and both storages. */
const REPORT = `<!doctype html><title>…</title><script>
  const settle = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
  const listing = indexedDB.databases();
  const opening = settle(indexedDB.open('tokens'));
  const found = [localStorage.theme, sessionStorage.tab];
  (async () => {
    const list = (await listing).map(({ name, version }) => name + version).sort();
    const database = await opening;
    const user = database.objectStoreNames.contains('users') && (await settle(database.transaction('users').objectStore('users').get(1)));
    document.title = [...found, list, user && user.token].join('|');
    window.isDone = true;
  })();
</script>`;
const FOUND = 'dark|7|empty2,tokens7|indexed';

/** Tells what a document could know of what was before it. */
const TRACES = `<!doctype html><title>…</title><script>
  const { currentEntry, activation, canGoBack } = navigation;
  const [{ type, unloadEventStart }] = performance.getEntriesByType('navigation');
  document.title = [history.length, document.referrer, window.name, currentEntry.index, navigation.entries().length, canGoBack,
    activation.from && activation.from.url, activation.navigationType, type, unloadEventStart,
    Object.keys(window).filter((name) => !(name in Window.prototype)).length, JSON.stringify(history.state)].join('|');
  onload = () => setTimeout(() => {
    document.title += '|' + IDBFactory.prototype.databases;
    window.isDone = true;
  }, 300);
</script>`;

const stranger = new Site({
  '/bounce': `<script>location.replace(new URLSearchParams(location.search).get('to'))</script>`,
});
const site = new Site({
  '/report': REPORT,
  '/traces': TRACES,
  '/missing': (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end(REPORT),
  '/sandboxed': (_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': 'sandbox allow-scripts' })
      .end('<title>sandboxed</title><script>window.isDone = true</script>'),
  '/strict': (_, response) =>
    response
      .writeHead(200, {
        'content-type': 'text/html',
        'content-security-policy': "default-src 'none'; script-src 'unsafe-inline'",
      })
      .end(REPORT),
  '/changes': `<script>localStorage.theme = 'light'; sessionStorage.tab = '8'; location.replace('/report')</script>`,
  '/clears': `<script>localStorage.clear(); sessionStorage.clear();
    indexedDB.deleteDatabase('tokens').onsuccess = () => { onload = setTimeout(() => location.replace('/report'), 500); }</script>`,
  '/upgrades': `<title>…</title><script>
    const events = [];
    const request = indexedDB.open('tokens', 9);
    request.onblocked = () => events.push('blocked');
    request.onupgradeneeded = ({ oldVersion }) => events.push('from ' + oldVersion);
    request.onsuccess = () => { document.title = events.join(); window.isDone = true; };
  </script>`,
  '/private': (_, response) => response.writeHead(302, { location: '/login' }).end(),
  '/login': `<title>Log in</title><form style="width: 300px; margin: 200px auto"><input name="user"><input type="password"></form>`,
  '/out': (_, response) => response.writeHead(302, { location: stranger.url(`/bounce`, 'localhost') }).end(),
  '/gone': (_, response) =>
    response.writeHead(302, { location: stranger.url('/nowhere', 'localhost') }).end(),
});

describe('the storage of the page’s own origin', () => {
  const pool = onePagePool();
  let storage: OriginState;

  beforeAll(async () => {
    await Promise.all([site.open(), stranger.open(), pool.start()]);
  });

  afterAll(() => Promise.all([site.close(), stranger.close(), pool.close()]));

  beforeEach(() => {
    site.forget();
    storage = {
      origin: site.url(''),
      localStorage: [{ name: 'theme', value: 'dark' }],
      sessionStorage: [{ name: 'tab', value: '7' }],
      indexedDB: [TOKENS, EMPTY],
    };
  });

  const sessionWith = (more: Partial<SessionUse> = {}): SessionUse => ({
    origins: [site.url('')],
    state: { cookies: [], origins: [storage] },
    isKept: false,
    fact: null,
    ...more,
  });

  function capture(
    path: string,
    options: Partial<CaptureOptions> = {},
    session: SessionUse | undefined = sessionWith(),
  ): Promise<Captured> {
    const engine = new CaptureEngine(pool, { maxBytes: 1e7, filters: noFilters });
    const given = { url: site.url(path), wait_until: 'load', wait_for_function: 'window.isDone', ...options };
    return engine.capture(instantiate(CaptureOptions, given), new AbortController().signal, { session });
  }
  const titleOf = async (...given: Parameters<typeof capture>): Promise<string | null> =>
    (await capture(...given)).facts.title;

  it.each([
    ['a page', '/report', {}],
    ['an error', '/missing', {}],
    ['a page with a strict policy', '/strict', {}],
    ['a page in its own time', '/report', { stable: true }],
    ['a page whose requests are judged', '/report', { block_urls: ['*/favicon.ico'] }],
  ])('is there when the first script of %s runs', async (_, path, options) => {
    expect(await titleOf(path, options)).toBe(FOUND);
    expect(site.requests.map(({ url }) => url).filter((url) => url !== '/favicon.ico')).toEqual([path]);
  });

  it('leaves no trace of how it came there', async () => {
    const plain = await titleOf('/traces', {}, undefined);
    expect(plain).toMatch(/^2\|/);
    expect(plain).toContain('function databases() { [native code] }');
    expect(await titleOf('/traces')).toBe(plain);
  });

  describe('of captures that share a context', () => {
    const sharing = (share: string): SessionUse => sessionWith({ share });

    it('is filled by the first; each page gets its session storage', async () => {
      expect(await titleOf('/report', {}, sharing('a'))).toBe(FOUND);
      expect(await titleOf('/changes', {}, sharing('a'))).toBe('light|8|empty2,tokens7|indexed');
      expect(await titleOf('/report', {}, sharing('a'))).toBe('light|7|empty2,tokens7|indexed');
      expect(await titleOf('/report', {}, sharing('b'))).toBe(FOUND);
    });

    it.each([
      ['timed out', '/gone', { timeout_ms: 1_000 }],
      ['had a script that failed', '/report', { js: 'nonsense(' }],
      ['asked for a log-in', '/private', { wait_for_function: undefined }],
      ['had no document of the origin', '/out', { wait_for_function: undefined }],
    ])('is filled again after one that %s', async (_, path, options) => {
      const share = `after ${path} ${JSON.stringify(options)}`;
      await capture('/changes', {}, sharing(share));
      await capture(path, options, sharing(share)).catch(() => undefined);
      expect(await titleOf('/report', {}, sharing(share))).toBe(FOUND);
    });
  });

  it('is filled once: what the page changes stays changed', async () => {
    expect(await titleOf('/changes')).toBe('light|8|empty2,tokens7|indexed');
    expect(await titleOf('/clears')).toBe('||empty2|false');
  });

  it('is upgraded by the page as any other', async () => {
    expect(await titleOf('/upgrades')).toBe('from 7');
  });

  it('is there when the page comes to its origin only later', async () => {
    const options = { actions: [{ type: 'navigate', url: site.url('/report') }] };
    expect(await titleOf('/out', options as Partial<CaptureOptions>)).toBe(FOUND);
  });

  it('is there beside that of other origins', async () => {
    const [own, other] = [storage.origin, site.url('', 'localhost')];
    const session = sessionWith({
      origins: [own, other],
      state: { cookies: [], origins: [{ ...storage, origin: other }, storage] },
    });
    expect(await titleOf('/report', {}, session)).toBe(FOUND);
    const actions = [{ type: 'navigate', url: `${other}/report` }];
    expect(await titleOf('/report', { actions } as Partial<CaptureOptions>, session)).toBe(FOUND);
    expect(new Set(site.requests.map(({ url }) => url))).not.toContain('/');
  });

  it('is none of a sandboxed page', async () => {
    expect(await titleOf('/sandboxed')).toBe('sandboxed');
  });

  it.each([
    ['filled', '/report', {}],
    ['not filled, as the page was elsewhere', '/gone', { wait_for_function: 'true' }],
    ['not filled, as the page was sandboxed', '/sandboxed', {}],
    [
      'filled before, as the page runs no scripts',
      '/report',
      { javascript: false, wait_for_function: undefined },
    ],
  ])('is kept with the state when it was %s', async (_, path, options) => {
    const { state } = await capture(path, options, sessionWith({ isKept: true }));
    expect(state?.origins).toMatchObject([
      {
        ...storage,
        indexedDB: expect.arrayContaining([expect.objectContaining(TOKENS), expect.objectContaining(EMPTY)]),
      },
    ]);
  });

  it('fails the capture when it cannot be filled', async () => {
    const [users] = TOKENS.stores;
    const broken = { ...TOKENS, stores: [{ ...users, records: [{ value: { noId: 'canary' } }] }] };
    storage = { ...storage, indexedDB: [broken as StateDatabase] };
    const failure = capture('/traces');
    await expect(failure).rejects.toMatchObject({ code: 'script_failed' });
    await expect(failure).rejects.not.toThrow('canary');
  });
});
