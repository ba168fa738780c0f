import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startApps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';

const PAGE = `<!doctype html><title>Page</title><img src="/banner/ad.png"><div class="own-promo">Buy</div>
  <script src="//127.0.0.1:PORT/stats/count.js"></script>`;

describe('filter lists', () => {
  let folder: string;
  let server: http.Server;
  let port: number;
  let requested: string[];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'filter-lists-'));
    requested = [];
    server = http.createServer(({ url = '' }, response) => {
      requested.push(url);
      if (url === '/list.txt')
        response.end('! Title: Test list\n! Last modified: 2026-11-01\n/stats/count.js\n');
      else if (url === '/broken.txt') response.end('<html>gone</html>');
      else if (url === '/page') response.end(PAGE.replace('PORT', String(port)));
      else response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('that come with the service are named by the version and the probe', async () => {
    await using apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${port},localhost:${port}` });
    const client = new Client(apps);
    const { filter_lists } = (await json(client.get('/v1/version'))) as { filter_lists: Json[] };
    expect(filter_lists).toContainEqual({
      name: 'AdGuard Base filter',
      kind: 'ads',
      date: expect.stringMatching(/^20\d\d-/),
      rules: expect.any(Number),
    });
    for (const kind of ['ads', 'trackers', 'chats', 'annoyances', 'cookies']) {
      expect(filter_lists.some((list) => list.kind === kind && Number(list.rules) > 50)).toBe(true);
    }
    const { details } = await json(await fetch(`${apps.worker.url}/readyz`));
    expect(details).toMatchObject({ filter_lists: { status: 'up', lists: filter_lists, errors: [] } });
  }, 120_000);

  it('of the operator replace them, are joined by own rules, and are no outage when one is broken', async () => {
    const rules = path.join(folder, 'rules.txt');
    await writeFile(rules, '/banner/ad.$image\n');
    await using apps = await startApps({
      EGRESS_ALLOW: `127.0.0.1:${port},localhost:${port}`,
      FILTER_LISTS_URL: `trackers=http://127.0.0.1:${port}/list.txt,http://127.0.0.1:${port}/broken.txt`,
      FILTER_RULES_FILE: rules,
    });
    const client = new Client(apps);
    const lists = () => json(client.get('/v1/version')).then(({ filter_lists }) => filter_lists as Json[]);
    await eventually('the list is downloaded', async () =>
      (await lists()).some(({ name }) => name === 'Test list'),
    );
    expect(await lists()).toEqual([
      { name: 'Test list', kind: 'trackers', date: '2026-11-01T00:00:00.000Z', rules: 1 },
      { name: 'FILTER_RULES_FILE', kind: 'ads', date: expect.any(String), rules: 1 },
    ]);
    const probe = await fetch(`${apps.worker.url}/readyz`);
    expect(probe.status).toBe(200);
    expect(await json(probe)).toMatchObject({
      details: { filter_lists: { errors: [`127.0.0.1:${port}/broken.txt: it is no list of text`] } },
    });
    // The page is of another site than what the list blocks.
    const url = `http://localhost:${port}/page`;
    await client.record({ url });
    expect(requested).toContain('/stats/count.js');
    requested = [];
    const record = await client.record({ url, block_trackers: true });
    expect(record).toMatchObject({ status: 'succeeded', blocked: { trackers: 1 } });
    expect(requested).not.toContain('/stats/count.js');
  }, 120_000);

  it('that are set wrongly stop the start of a worker, which names the variable', async () => {
    await using apps = await startApps();
    const worker = await apps.launch('worker', { FILTER_LISTS_URL: 'movies=https://lists.example/a.txt' });
    expect(await worker.ended()).not.toBe(0);
    expect(worker.log()).toContain('FILTER_LISTS_URL entry 1');
    await apps.stop();
  }, 120_000);
});
