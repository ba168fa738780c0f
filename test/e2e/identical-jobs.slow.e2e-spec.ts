import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppProcess } from '../support/app-process.js';
import { startApps, type Apps } from '../support/apps.js';
import { BACKENDS } from '../support/backends.js';
import { Client, json, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { Site } from '../support/site.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const COPIES = 20;

describe.each(BACKENDS)('identical jobs with the queue in %s', (_, settings) => {
  const receiver = new WebhookReceiver();
  const held: ServerResponse[] = [];
  const site = new Site({
    '/shared': '<title>shared</title>',
    '/other': '<title>other</title>',
    // Later than the last of the identical jobs is submitted.
    '/gone': (_request, response) => void setTimeout(() => response.writeHead(404).end(), 3_000),
    ...Object.fromEntries(
      ['/held/canceled', '/held/killed', '/held/sync'].map((path) => [
        path,
        (_request: unknown, response: ServerResponse) => void held.push(response),
      ]),
    ),
  });
  let apps: Apps;
  let client: Client;
  let second: AppProcess | undefined;
  let usedBefore = 0;

  beforeAll(async () => {
    await Promise.all([site.open(), receiver.open()]);
    const egress = [new URL(site.url('/')).host, `127.0.0.1:${receiver.port}`].join(',');
    apps = await startApps({ ...(await settings()), EGRESS_ALLOW: egress, WORKER_SLOTS: '2' });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await second?.stop();
    await apps.stop();
    await Promise.all([site.close(), receiver.close()]);
  });

  const used = async (): Promise<number> => Number((await json(client.get('/v1/usage'))).used);
  const pageOf = (path: string): Json => ({ url: site.url(path), cache_ttl_s: 600 });
  const submit = async (options: Json): Promise<string> => String((await json(client.submit(options))).id);
  const finished = (id: string): Promise<Json> => json(client.get(`/v1/jobs/${id}?wait=30`));
  const statusesOf = (records: readonly Json[]) => {
    const counts: Record<string, number> = {};
    for (const { status, cache } of records) {
      const name = `${String(status)} ${String((cache as Json | null)?.status)}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };
  /** Ends the requests for pages that are held, and holds no later ones. */
  const release = (): void => {
    for (const response of held.splice(0))
      response.setHeader('content-type', 'text/html').end('<title>held</title>');
  };
  const visited = (path: string, times: number) =>
    eventually(`${path} is visited ${times} times`, () => site.requestsTo(path).length === times, 60_000);

  it('share one visit and one charge, and have records, files and webhooks of their own', async () => {
    usedBefore = await used();
    const copies = Array.from({ length: COPIES }, (_each, n) =>
      submit({ ...pageOf('/shared'), reference: `r${n}`, webhook_url: receiver.url('/hook') }),
    );
    const batch = await json(
      client.post('/v1/bulk/json', {
        items: [pageOf('/shared'), pageOf('/other'), pageOf('/shared'), { url: site.url('/other') }],
        webhook_url: receiver.url('/batch'),
      }),
    );
    const records = await Promise.all((await Promise.all(copies)).map(finished));
    await eventually('the batch is announced', () => receiver.receivedAt('/batch').length === 1, 60_000);
    const rows = (await json(client.get(`/v1/captures?batch_id=${String(batch.id)}`))).items as Json[];
    expect(statusesOf([...records, ...rows])).toEqual({
      'succeeded miss': 2,
      'succeeded coalesced': COPIES + 1,
      'succeeded undefined': 1,
    });
    expect(site.requestsTo('/shared')).toHaveLength(1);
    expect(site.requestsTo('/other')).toHaveLength(2);
    expect([...records, ...rows].filter(({ billable }) => billable === true)).toHaveLength(3);
    expect((await used()) - usedBefore).toBe(3);
    expect(JSON.parse(receiver.receivedAt('/batch')[0]?.body ?? '')).toMatchObject({
      type: 'batch.completed',
      data: { counts: { succeeded: 4 } },
    });

    await eventually('all webhooks have arrived', () => receiver.receivedAt('/hook').length === COPIES);
    const announced = receiver
      .receivedAt('/hook')
      .map(({ body }) => (JSON.parse(body) as { data: Json }).data);
    expect(announced.map(({ reference }) => reference).sort()).toEqual(
      records.map(({ reference }) => reference).sort(),
    );
    const [one, last] = [records[0], records.at(-1)];
    const files = await Promise.all(
      [one, last].map(async (record) =>
        Buffer.from(await (await client.get(String(record?.result_url))).arrayBuffer()),
      ),
    );
    expect(files[0]?.length).toBeGreaterThan(100);
    expect(files[0]?.equals(files[1] ?? Buffer.alloc(0))).toBe(true);

    const hit = await json(client.submit(pageOf('/shared')));
    expect(hit).toMatchObject({ status: 'succeeded', billable: false, cache: { status: 'hit' } });
    expect((await used()) - usedBefore).toBe(3);
  }, 120_000);

  it('fail together for a permanent error', async () => {
    const before = await used();
    const options = { ...pageOf('/gone'), fail_on_status: ['404'] };
    const ids = await Promise.all(Array.from({ length: 5 }, () => submit(options)));
    const records = await Promise.all(ids.map(finished));
    expect(records.map(({ error }) => (error as Json).code)).toEqual(Array(5).fill('target_http_error'));
    expect(records.map(({ http_status: status }) => status)).toEqual(Array(5).fill(404));
    expect(site.requestsTo('/gone')).toHaveLength(1);
    expect(await used()).toBe(before);
  }, 60_000);

  it('go on when the one that makes the visit is canceled', async () => {
    const before = await used();
    const ids = await Promise.all(Array.from({ length: 4 }, () => submit(pageOf('/held/canceled'))));
    await visited('/held/canceled', 1);
    const first = await Promise.all(ids.map((id) => json(client.get(`/v1/jobs/${id}`))));
    const leader = first.find(({ status }) => status === 'running');
    expect(statusesOf(first)).toEqual({ 'running miss': 1, 'queued null': 3 });
    await client.send('DELETE', `/v1/jobs/${String(leader?.id)}`);
    await visited('/held/canceled', 2);
    release();
    const records = await Promise.all(ids.map(finished));
    expect(statusesOf(records)).toEqual({
      'canceled miss': 1,
      'succeeded miss': 1,
      'succeeded coalesced': 2,
    });
    expect((await used()) - before).toBe(1);
  }, 60_000);

  it('wait for the visit of a synchronous capture', async () => {
    const before = await used();
    const capturing = client.capture(pageOf('/held/sync'));
    await visited('/held/sync', 1);
    const id = await submit(pageOf('/held/sync'));
    release();
    expect((await capturing).headers.get('x-cache')).toBe('MISS');
    const record = await finished(id);
    expect(record.status).toBe('succeeded');
    expect(['coalesced', 'hit']).toContain((record.cache as Json).status);
    expect(site.requestsTo('/held/sync')).toHaveLength(1);
    expect((await used()) - before).toBe(1);
  }, 60_000);

  it('are served by another worker when the first one dies', async () => {
    const before = await used();
    const ids = await Promise.all(Array.from({ length: 4 }, () => submit(pageOf('/held/killed'))));
    await visited('/held/killed', 1);
    apps.worker.kill('SIGKILL');
    await apps.worker.ended();
    second = await apps.launch('worker');
    await second.ready();
    await apps.endLeases();
    await visited('/held/killed', 2);
    release();
    const records = await Promise.all(ids.map(finished));
    expect(statusesOf(records)).toEqual({ 'succeeded miss': 1, 'succeeded coalesced': 3 });
    expect(records.map(({ attempts }) => attempts).sort()).toEqual([0, 0, 0, 2]);
    expect((await used()) - before).toBe(1);
  }, 120_000);

  it('leave accounts that agree with their rows', async () => {
    const { rows } = await apps.database.query(
      `SELECT (SELECT sum(used)::int FROM usage_counters) AS used, (SELECT count(*)::int FROM usage_ledger) AS charged,
              (SELECT count(*)::int FROM jobs WHERE status = 'succeeded' AND attempt > 0) AS visits,
              (SELECT count(*)::int FROM jobs WHERE follows_id IS NOT NULL) AS following,
              (SELECT count(*)::int FROM concurrency_slots) AS slots`,
    );
    const { visits } = rows[0] as { visits: number };
    expect(rows).toEqual([{ used: visits, charged: visits, visits, following: 0, slots: 0 }]);
  });
});
