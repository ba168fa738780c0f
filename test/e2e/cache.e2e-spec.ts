import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppProcess } from '../support/app-process.js';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { eventually } from '../support/eventually.js';

const CROWD = 1_000;

/** Two API processes, a worker with a real browser, and a site that shows how often each page was visited. */
describe('captures from the cache', () => {
  let apps: Apps;
  let second: AppProcess;
  let server: Server;
  let clients: readonly [Client, Client];
  const visits = new Map<string, number>();
  let held: Promise<void> | undefined;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? '';
      const visit = (visits.get(path) ?? 0) + 1;
      visits.set(path, visit);
      const page = `<!doctype html><title>${path}</title><h1>Visit ${visit}</h1>`;
      void Promise.resolve(held).then(() => response.setHeader('content-type', 'text/html').end(page));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${(server.address() as AddressInfo).port}` });
    second = await apps.launch('api');
    await second.ready();
    const client = new Client(apps);
    clients = [client, client.forApps(second)];
  }, 120_000);

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await second.stop();
    await apps.stop();
  });

  const urlOf = (path: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const used = async (): Promise<number> => Number((await json(clients[0].get('/v1/usage'))).used);

  interface Seen {
    readonly cache: string | null;
    readonly id: string | null;
    readonly etag: string | null;
    readonly sha256: string;
  }

  async function seen(answer: Promise<Response>): Promise<Seen> {
    const response = await answer;
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) throw new Error(bytes.toString());
    const [cache = null, id = null, etag = null] = ['x-cache', 'x-capture-id', 'etag'].map((name) =>
      response.headers.get(name),
    );
    return { cache, id, etag, sha256: createHash('sha256').update(bytes).digest('hex') };
  }

  it('are the same file for every process, and one visit', async () => {
    const before = await used();
    const page = { url: urlOf('/same'), cache_ttl_s: 600, device: 'iphone-15-pro' };
    const first = await seen(clients[0].capture(page));
    expect(first).toMatchObject({ cache: 'MISS', etag: `"${first.sha256}"` });
    for (const client of clients) {
      expect(await seen(client.capture({ ...page, device: 'iPhone-15-Pro', mobile: true }))).toEqual({
        ...first,
        cache: 'HIT',
      });
    }
    expect([visits.get('/same'), (await used()) - before]).toEqual([1, 1]);
  });

  it(`are one visit and one charge for ${CROWD} callers who ask at once, in two processes`, async () => {
    const before = await used();
    const page = { url: urlOf('/crowd'), cache_ttl_s: 600 };
    const gate = Promise.withResolvers<void>();
    held = gate.promise;
    const answers = Array.from({ length: CROWD }, (_, i) =>
      seen((clients[i % 2] ?? clients[0]).capture(page)),
    );
    await eventually('the page is visited', () => visits.has('/crowd'));
    gate.resolve();
    held = undefined;
    const all = await Promise.all(answers);
    const [one] = all;
    expect(new Set(all.map(({ id, sha256 }) => `${id} ${sha256}`))).toEqual(
      new Set([`${one?.id} ${one?.sha256}`]),
    );
    const count = (cache: string): number => all.filter((each) => each.cache === cache).length;
    expect(count('MISS')).toBe(1);
    expect(count('COALESCED') + count('HIT')).toBe(CROWD - 1);
    expect([visits.get('/crowd'), (await used()) - before]).toEqual([1, 1]);
  }, 120_000);

  it('are stale for a while, and made again in the background', async () => {
    const before = await used();
    const page = { url: urlOf('/stale'), cache_ttl_s: 1, stale_ttl_s: 600 };
    const first = await seen(clients[0].capture(page));
    let stale = first;
    await eventually('it is stale', async () => {
      stale = await seen(clients[1].capture(page));
      return stale.cache === 'STALE';
    });
    expect(stale).toEqual({ ...first, cache: 'STALE' });
    // These do not renew it once more.
    const content = { ...page, cache_ttl_s: 600 };
    await eventually('the new one answers', async () => {
      const now = await Promise.all(clients.map((client) => seen(client.capture(content))));
      return now.every(({ sha256 }) => sha256 !== first.sha256);
    });
    expect([visits.get('/stale'), (await used()) - before]).toEqual([2, 2]);
    const { items } = await json(clients[0].get('/v1/captures?source=job'));
    expect(items).toMatchObject([{ url: page.url, billable: true, cache: { status: 'bypass' } }]);
  });

  it('are renewed by force', async () => {
    const page = { url: urlOf('/force'), cache_ttl_s: 600 };
    const first = await seen(clients[0].capture(page));
    const renewed = await seen(clients[0].capture({ ...page, force: true }));
    expect(renewed).toMatchObject({ cache: 'BYPASS' });
    expect(renewed.sha256).not.toBe(first.sha256);
    expect(await seen(clients[0].capture(page))).toEqual({ ...renewed, cache: 'HIT' });
    await eventually('the other process answers with it', async () => {
      return (await seen(clients[1].capture(page))).id === renewed.id;
    });
    expect(visits.get('/force')).toBe(2);
  });
});
