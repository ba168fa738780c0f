import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { evaluate, onePagePool, withNetwork } from '../../../../test/support/browser.js';
import { CERTIFICATE } from '../../../../test/support/certificate.js';
import type { BrowserState } from '../pipeline/browser-state.js';
import { fillState, readState, type StatePage } from './move-state.js';

/** Cookies of each kind that a browser tells apart, as a server sets them. */
const COOKIES = [
  '__Host-sid=1; Secure; HttpOnly; Path=/; SameSite=Lax',
  '__Secure-token=1; Secure; Path=/; Domain=shop.localhost',
  'strict=1; Secure; HttpOnly; SameSite=Strict; Path=/',
  'lax=1; SameSite=Lax; Path=/',
  'none=1; Secure; SameSite=None; Path=/',
  'unsaid=1; Path=/',
  'deep=1; Path=/deep',
  'lasting=1; Max-Age=86400; Path=/',
  'whole-domain=1; Domain=shop.localhost; Path=/',
  'own-part=1; Secure; SameSite=None; Partitioned; Path=/',
  'quoted="a b"; Path=/',
];
const FRAMED = [
  'framed-part=1; Secure; HttpOnly; SameSite=None; Partitioned; Path=/',
  '__Host-framed=1; Secure; SameSite=None; Partitioned; Path=/',
  'unpartitioned=1; Secure; SameSite=None; Path=/',
];

/** Leaves a value of each kind in each storage of its origin. */
const FILL = `(async () => {
  const done = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = reject; });
  localStorage.setItem('who', location.host);
  localStorage.setItem('__proto__', 'é😀\\u0000');
  sessionStorage.setItem('tab', location.host);
  const opening = indexedDB.open('app', 7);
  opening.onupgradeneeded = () => {
    const users = opening.result.createObjectStore('users', { keyPath: ['team', 'id'], autoIncrement: false });
    users.createIndex('tags', 'tags', { multiEntry: true });
    opening.result.createObjectStore('counted', { autoIncrement: true });
    opening.result.createObjectStore('values');
  };
  const database = await done(opening);
  const change = database.transaction(['users', 'counted', 'values'], 'readwrite');
  change.objectStore('users').put({ team: 'a', id: 1, tags: ['x', 'y'], token: location.host });
  change.objectStore('counted').put({ first: true });
  change.objectStore('values').put(new Map([[1, new Set([2n])]]), 'map');
  change.objectStore('values').put({ at: new Date(5), bytes: new Uint8Array([1, 2, 255]) }, [new Date(1), 'key']);
  const round = { name: 'round' };
  round.self = [round, round];
  change.objectStore('values').put(round, 'round');
  change.objectStore('values').put(undefined, new Uint8Array([9]));
  await new Promise((resolve) => { change.oncomplete = resolve; });
  database.close();
})()`;

/** Reads all of it. */
const REPORT = `(async () => {
  const done = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
  const names = (await indexedDB.databases()).map(({ name, version }) => name + version);
  const database = await done(indexedDB.open('app'));
  const read = database.transaction(['users', 'counted', 'values']);
  const values = read.objectStore('values');
  const odd = await done(values.get([new Date(1), 'key']));
  const [map, round] = [await done(values.get('map')), await done(values.get('round'))];
  const report = {
    names, script: document.cookie.split('; ').sort(),
    local: Object.entries(localStorage).sort(), session: Object.entries(sessionStorage),
    tagged: await done(read.objectStore('users').index('tags').get('y')),
    counted: await done(read.objectStore('counted').getAll()), keys: (await done(values.getAllKeys())).length,
    map: String([...map.get(1)]), round: round.self[1] === round,
    odd: [odd.at.getTime(), [...odd.bytes]], none: String(await done(values.get(new Uint8Array([9])))),
  };
  database.close();
  return report;
})()`;

type Report = Readonly<Record<string, unknown>>;

describe('the state of a browser', () => {
  let pool: ReturnType<typeof onePagePool>;
  let server: Server;
  let shop: string;
  let api: string;
  let widget: string;
  /** The cookies of the requests since the last test, by address. */
  let sent: Record<string, string[]>;

  beforeAll(async () => {
    server = createServer(CERTIFICATE, answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    [shop, api, widget] = ['shop', 'api.shop', 'widget'].map(
      (name) => `https://${name}.localhost:${port}`,
    ) as [string, string, string];
    pool = withNetwork(onePagePool());
    await pool.start();
  });

  afterAll(async () => {
    await pool.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  beforeEach(() => {
    sent = {};
  });

  function answer({ url = '/', headers }: IncomingMessage, response: ServerResponse): void {
    const { host = '', cookie = '' } = headers;
    const at = `${host.split(':', 1)[0] ?? ''}${url}`;
    sent[at] = cookie.split('; ').filter(Boolean).sort();
    const cookies = { '/set': COOKIES, '/frame-sets': FRAMED }[url] ?? [];
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': cookies });
    const frame = { '/set': 'frame-sets', '/shows': 'frame' }[url];
    response.end(`<!doctype html>${frame === undefined ? '' : `<iframe src="${widget}/${frame}"></iframe>`}`);
  }

  /** A fresh context that takes the certificate of the sites. */
  const inContext = <T>(use: (lease: StatePage) => Promise<T>): Promise<T> =>
    pool.withPage(new AbortController().signal, async (lease) => {
      await lease.cdp.send('Security.setIgnoreCertificateErrors', { ignore: true });
      return use(lease);
    });

  /** What the sites and their scripts see of the state. */
  async function look({ page }: StatePage): Promise<Record<string, Report | string[]>> {
    const reports: Record<string, Report> = {};
    for (const origin of [shop, api]) {
      await page.goto(`${origin}/shows`);
      reports[origin] = await evaluate<[], Report>(page, REPORT);
    }
    await page.goto(`${shop}/deep/page`);
    return { ...reports, ...sent };
  }

  async function leave({ page }: StatePage): Promise<void> {
    await page.goto(`${shop}/set`);
    await evaluate(page, FILL);
    await page.goto(`${api}/`);
    await evaluate(page, FILL);
  }

  /** The session of a site, of whose state each part has been left, and what the sites have seen of it. */
  async function leftBehind(): Promise<{ state: BrowserState; seen: Record<string, Report | string[]> }> {
    return inContext(async (lease) => {
      await leave(lease);
      sent = {};
      const seen = await look(lease);
      const state = await readState(lease, { origins: [shop, api, widget] });
      return { state: JSON.parse(JSON.stringify(state)) as BrowserState, seen };
    });
  }

  it('is that of another context, for sites and scripts, and read again it is the same', async () => {
    const { state, seen } = await leftBehind();
    // What is compared is there at all.
    expect(seen['shop.localhost/shows']).toEqual(
      expect.arrayContaining(['__Host-sid=1', 'strict=1', 'own-part=1', 'lasting=1', 'quoted="a b"']),
    );
    expect(seen['widget.localhost/frame']).toEqual(['__Host-framed=1', 'framed-part=1', 'unpartitioned=1']);
    expect(seen[shop]).toMatchObject({
      map: '2',
      round: true,
      none: 'undefined',
      odd: [5, [1, 2, 255]],
      keys: 4,
    });
    sent = {};
    await inContext(async (lease) => {
      await fillState(lease, state);
      expect(Object.keys(sent)).toEqual([]);
      expect(await look(lease)).toEqual(seen);
      const again = await readState(lease, { origins: [shop, api, widget] });
      expect(sorted(again)).toEqual(sorted(state));
    });
  });

  it('keeps what a cookie is restricted to', async () => {
    const { state } = await leftBehind();
    const traits = Object.fromEntries(
      state.cookies.map(({ name, domain, path, httpOnly, secure, sameSite, partitionKey }) => [
        name,
        { domain, path, httpOnly, secure, sameSite, cross: partitionKey?.hasCrossSiteAncestor },
      ]),
    );
    expect(traits).toMatchObject({
      '__Host-sid': { domain: 'shop.localhost', path: '/', httpOnly: true, secure: true, sameSite: 'Lax' },
      '__Secure-token': { domain: '.shop.localhost', secure: true },
      strict: { sameSite: 'Strict', httpOnly: true },
      none: { sameSite: 'None', secure: true },
      unsaid: { sameSite: undefined },
      deep: { path: '/deep' },
      'whole-domain': { domain: '.shop.localhost' },
      'own-part': { cross: false },
      'framed-part': { domain: 'widget.localhost', httpOnly: true, cross: true },
      '__Host-framed': { domain: 'widget.localhost', cross: true },
    });
  });

  it('holds nothing of sites beyond the origins', async () => {
    const state = await inContext(async (lease) => {
      await leave(lease);
      return readState(lease, { origins: [api] });
    });
    expect(state.origins.map(({ origin }) => origin)).toEqual([api]);
    // A cookie of the parent domain is sent to the origin.
    expect(state.cookies.map(({ name }) => name).sort()).toEqual(['__Secure-token', 'whole-domain']);
  });
});

/** In one order, and without the moments that differ by less than a second. */
function sorted({ cookies, origins }: BrowserState): unknown {
  const byName = [...cookies].sort((one, other) => one.name.localeCompare(other.name));
  return { cookies: byName.map((cookie) => ({ ...cookie, expires: Math.round(cookie.expires) })), origins };
}
