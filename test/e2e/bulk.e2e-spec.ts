import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startApps, type Apps } from '../support/apps.js';
import { BACKENDS } from '../support/backends.js';
import { Client, json, type Json } from '../support/client.js';
import { allEventsOf } from '../support/event-source.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { WebhookReceiver, type Received } from '../support/webhook-receiver.js';

/** Within this time a cancel closes the pages, as docs promise. */
const STOPS_WITHIN_MS = 2_000;

describe.each(BACKENDS)('batches with the queue in %s', (_, settings) => {
  let site: FixtureSite;
  let receiver: WebhookReceiver;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    [site, receiver] = [await startFixtureSite(), new WebhookReceiver()];
    await receiver.open();
    const allowed = `127.0.0.1:${site.port},127.0.0.1:${receiver.port}`;
    apps = await startApps({
      ...(await settings()),
      EGRESS_ALLOW: allowed,
      WORKER_SLOTS: '2',
      WEBHOOK_HTTP: 'true',
    });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await receiver.close();
    await site.close();
    await apps.stop();
  });

  const page = (path: string): string => `${site.url}/${path}`;
  const used = async (): Promise<number> => Number((await json(client.get('/v1/usage'))).used);
  const submit = async (body: Json): Promise<Json> => {
    const response = await client.post('/v1/bulk/json', body);
    const batch = await json(response);
    expect([response.status, batch.detail]).toEqual([202, undefined]);
    return batch;
  };
  const verified = async ({ body, headers }: Received): Promise<Json> => {
    const env = { ...process.env, ...apps.env };
    const script = ['dist/scripts/webhooks.js', 'secret', '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, script, { env });
    const { secret } = JSON.parse(stdout) as { secret: string };
    return new Webhook(secret).verify(body, headers as Record<string, string>) as Json;
  };
  const webhookAt = async (path: string): Promise<Json> => {
    await eventually('the webhook arrives', () => receiver.receivedAt(path).length > 0, 60_000);
    const [received] = receiver.receivedAt(path);
    if (!received) throw new Error('nothing came');
    return verified(received);
  };

  it('finish, each row with a result of its own, and are announced once', async () => {
    const before = await used();
    const { id } = await submit({
      defaults: { fail_on_status: ['4xx'] },
      items: [
        { url: page('bands.html'), reference: 'first' },
        { url: page('status/404') },
        { url: 'no address' },
        { url: page('text.html'), format: 'pdf' },
      ],
      on_invalid: 'skip',
      webhook_url: receiver.url('/batch'),
    });
    const path = `/v1/bulk/${String(id)}`;
    const events = allEventsOf(await client.get(`${path}/events`));
    const event = await webhookAt('/batch');
    const { webhook: _hook, ...batch } = await json(client.get(path));
    expect(batch).toMatchObject({
      status: 'completed',
      total: 4,
      counts: { queued: 0, running: 0, succeeded: 2, failed: 2, canceled: 0 },
      rejected: 1,
      progress: 1,
      eta_s: 0,
    });
    expect(event).toMatchObject({ type: 'batch.completed', data: batch });
    expect((await events).at(-1)?.data).toMatchObject({ status: 'completed' });
    const results = (await json(client.get(`${path}/results`))).items as Json[];
    expect(results).toMatchObject([
      { row: 1, status: 'succeeded', reference: 'first', format: 'png' },
      {
        row: 2,
        status: 'failed',
        error: { code: 'target_http_error' },
        final_url: page('status/404'),
        http_status: 404,
        title: 'Status 404',
        timings: { render_ms: 0 },
      },
      { row: 3, status: 'failed', error: { code: 'invalid_request' }, attempts: 0 },
      { row: 4, status: 'succeeded', format: 'pdf' },
    ]);
    const file = await client.get(String(results[3]?.result_url));
    expect((await file.text()).slice(0, 5)).toBe('%PDF-');
    const csv = await (await client.get(`${path}/download`)).text();
    const lines = csv.trim().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[2]).toMatch(/^2,.*\/status\/404,failed,404,target_http_error,.*,Status 404,\d+,\d+,/);
    expect(await used()).toBe(before + 2);
    await eventually('the batch shows that it was announced', async () => {
      const { webhook } = (await json(client.get(path))) as { webhook: Json };
      return webhook.state === 'delivered';
    });
    expect(receiver.receivedAt('/batch')).toHaveLength(1);
  });

  it('are canceled while rows run: the pages are closed, and all units are refunded', async () => {
    const before = await used();
    const visits = site.requests('/slow').length;
    const items = Array.from({ length: 20 }, () => ({ url: page('slow?ms=60000') }));
    const { id } = await submit({ items, webhook_url: receiver.url('/canceled') });
    const path = `/v1/bulk/${String(id)}`;
    await eventually('a row runs', () => site.requests('/slow').length > visits, 60_000);
    expect(await used()).toBe(before + 20);
    expect(await json(client.send('DELETE', path))).toMatchObject({
      status: 'canceled',
      counts: { queued: 0, running: 0, canceled: 20 },
    });
    expect(await used()).toBe(before);
    // The slots are free again, so the next job is captured at once.
    const job = await json(client.submit({ url: page('bands.html') }));
    await eventually(
      'the next job is captured',
      async () => (await json(client.get(`/v1/jobs/${String(job.id)}`))).status === 'succeeded',
      STOPS_WITHIN_MS + 20_000,
    );
    expect(await webhookAt('/canceled')).toMatchObject({ type: 'batch.canceled', data: { id } });
    expect(await used()).toBe(before + 1);
  });
});
