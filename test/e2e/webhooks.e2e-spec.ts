import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '@capture-service/client';
import { Webhook } from 'standardwebhooks';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { WebhookReceiver, type Received } from '../support/webhook-receiver.js';

// They are rows of an outbox, wherever the queue is.
describe('webhooks', () => {
  let site: FixtureSite;
  let receiver: WebhookReceiver;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    [site, receiver] = [await startFixtureSite(), new WebhookReceiver()];
    await receiver.open();
    const allowed = `127.0.0.1:${site.port},127.0.0.1:${receiver.port}`;
    apps = await startApps({ EGRESS_ALLOW: allowed, WORKER_SLOTS: '1', WEBHOOK_HTTP: 'true' });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await receiver.close();
    await site.close();
    await apps.stop();
  });

  const submit = async (path: string, options: Json = {}): Promise<string> => {
    const body = JSON.stringify({ url: `${site.url}/`, webhook_url: receiver.url(path), ...options });
    const headers = { 'content-type': 'application/json' };
    const { id } = await json(client.send('POST', '/v1/jobs', { headers, body }));
    return String(id);
  };

  const jobOf = (id: string): Promise<Json> => json(client.get(`/v1/jobs/${id}`));

  const npmRun = async (...args: string[]): Promise<Json> => {
    const command = ['dist/scripts/webhooks.js', ...args, '--json'];
    const env = { ...process.env, ...apps.env };
    return JSON.parse((await promisify(execFile)(process.execPath, command, { env })).stdout) as Json;
  };

  const verified = async ({ body, headers }: Received): Promise<Json> => {
    const { secret } = await npmRun('secret');
    return new Webhook(String(secret)).verify(body, headers as Record<string, string>) as Json;
  };

  it('announce the end of a job with its record, and the job shows its delivery', async () => {
    const id = await submit('/succeeded');
    await eventually('the webhook arrives', () => receiver.receivedAt('/succeeded').length === 1);
    const [received] = receiver.receivedAt('/succeeded');
    if (!received) throw new Error('nothing came');
    const event = await verified(received);
    expect(event).toMatchObject({
      type: 'capture.succeeded',
      data: { id, status: 'succeeded', billable: true },
    });
    const { phase: _phase, queue_position: _place, webhook: _hook, ...record } = await jobOf(id);
    expect(event.data).toEqual(record);
    await eventually('the job shows the delivery', async () => {
      const { webhook } = (await jobOf(id)) as { webhook: Json };
      return webhook.state === 'delivered';
    });
    expect((await jobOf(id)).webhook).toMatchObject({ id: received.id, attempts: 1, last_status: 204 });
  });

  it('announce a failed and a canceled job', async () => {
    const failed = await submit('/failed', { fail_if_text_missing: 'never there' });
    await eventually('the first webhook arrives', () => receiver.receivedAt('/failed').length === 1);
    const canceled = await submit('/canceled', { delay_ms: 30_000 });
    await client.send('DELETE', `/v1/jobs/${canceled}`);
    await eventually('the second webhook arrives', () => receiver.receivedAt('/canceled').length === 1);
    const [first, second] = [receiver.receivedAt('/failed')[0], receiver.receivedAt('/canceled')[0]];
    if (!first || !second) throw new Error('nothing came');
    expect(await verified(first)).toMatchObject({
      type: 'capture.failed',
      data: { id: failed, billable: false, http_status: 404, timings: { render_ms: 0, store_ms: 0 } },
    });
    expect(await verified(second)).toMatchObject({ type: 'capture.canceled', data: { id: canceled } });
  });

  it('are verified by the SDK, with either secret while one replaces the other', async () => {
    const old = String((await npmRun('secret')).secret);
    const current = String((await npmRun('secret', '--rotate')).secret);
    const id = await submit('/rotated');
    await eventually('the webhook arrives', () => receiver.receivedAt('/rotated').length === 1);
    const [received] = receiver.receivedAt('/rotated');
    if (!received) throw new Error('nothing came');
    expect(current).not.toBe(old);
    for (const secret of [old, current]) {
      const event = await verifyWebhook(received.body, received.headers, secret);
      expect(event).toMatchObject({ type: 'capture.succeeded', data: { id } });
    }
    const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    await expect(verifyWebhook(received.body, received.headers, other)).rejects.toMatchObject({
      code: 'webhook_invalid',
    });
  });

  it('are sent again under the same id when their worker is killed between sending and recording it', async () => {
    let answers = 0;
    receiver.answerOn('/killed', (response) => {
      answers += 1;
      // The first request is never answered, because its sender dies before.
      if (answers > 1) response.writeHead(200).end();
    });
    const id = await submit('/killed');
    await eventually('the webhook has been sent', () => receiver.receivedAt('/killed').length === 1);
    apps.worker.kill('SIGKILL');
    await apps.worker.ended();
    const second = await apps.launch('worker');
    try {
      await second.ready();
      await apps.endLeases();
      await eventually('it is sent again', () => receiver.receivedAt('/killed').length === 2, 60_000);
      const [first, again] = receiver.receivedAt('/killed');
      expect([again?.id, again?.body]).toEqual([first?.id, first?.body]);
      await eventually('the job shows the delivery', async () => {
        const { webhook } = (await jobOf(id)) as { webhook: Json };
        return webhook.state === 'delivered' && webhook.attempts === 1;
      });
      await npmRun('replay', id);
      await eventually('it is replayed', () => receiver.receivedAt('/killed').length === 3);
      expect(
        new Set(receiver.receivedAt('/killed').map((received) => received.id + received.body)).size,
      ).toBe(1);
    } finally {
      await second.stop();
    }
  }, 120_000);
});
