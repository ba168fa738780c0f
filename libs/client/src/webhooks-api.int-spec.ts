import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { eventually } from '../../../test/support/eventually.js';
import type { StartedModules } from '../../../test/support/modules.js';
import { WebhookReceiver, type Received } from '../../../test/support/webhook-receiver.js';
import { startWebhookSender } from '../../../test/support/webhook-sender.js';
import { CaptureClient, type DeliveryFilters, type DeliveryRecord } from './index.js';

describe('the webhooks of an account', () => {
  let api: TestApi;
  let receiver: WebhookReceiver;
  let sender: StartedModules;

  beforeAll(async () => {
    receiver = new WebhookReceiver();
    await receiver.open();
    const settings = { EGRESS_ALLOW: `127.0.0.1:${receiver.port}` };
    api = await startApi(settings);
    sender = await startWebhookSender(api.database, settings);
  });

  afterAll(async () => {
    await sender.close();
    await api.close();
    await receiver.close();
  });

  const newClient = async (): Promise<CaptureClient> => {
    const { apiKey } = await api.client();
    return new CaptureClient({ baseUrl: api.url, key: apiKey });
  };

  const ended = async (client: CaptureClient, { id }: { readonly id: string }): Promise<DeliveryRecord> => {
    await eventually('the delivery ends', async () => {
      return (await client.webhooks.delivery(id)).finished_at !== null;
    });
    return client.webhooks.delivery(id);
  };

  const onlyAt = (path: string): Received => {
    const [first, ...more] = receiver.receivedAt(path);
    if (!first || more.length > 0) throw new Error(`${receiver.receivedAt(path).length} webhooks came`);
    return first;
  };

  it('include a test, which arrives signed and is shown with its log and body', async () => {
    const client = await newClient();
    const accepted = await client.webhooks.test({ url: receiver.url('/test') });
    expect(accepted).toMatchObject({
      type: 'webhook.test',
      subject_kind: 'account',
      url: receiver.url('/test'),
    });
    const record = await ended(client, accepted);
    expect(record).toMatchObject({
      id: accepted.id,
      state: 'delivered',
      attempts: 1,
      last_status: 204,
      next_attempt_at: null,
      log: [{ status: 204, error: null }],
    });
    const { id, body, headers } = onlyAt('/test');
    expect([id, body]).toEqual([accepted.id, record.body]);
    const { secret } = await client.webhooks.secret();
    const event = await client.webhooks.verify(body, headers, secret);
    expect(event).toMatchObject({ type: 'webhook.test', data: { message: expect.stringMatching(/test/) } });
    const strangers = await (await newClient()).webhooks.secret();
    await expect(client.webhooks.verify(body, headers, strangers.secret)).rejects.toThrow(/signature/);
  });

  it('attempt a test once', async () => {
    const client = await newClient();
    receiver.answer('/down', 500);
    const record = await ended(client, await client.webhooks.test({ url: receiver.url('/down') }));
    expect(record).toMatchObject({ state: 'failed', attempts: 1, last_status: 500 });
    expect(receiver.receivedAt('/down')).toHaveLength(1);
  });

  it('are sent to a gone endpoint again after a test of it', async () => {
    const client = await newClient();
    const url = receiver.url('/gone');
    receiver.answer('/gone', 410);
    expect(await ended(client, await client.webhooks.test({ url }))).toMatchObject({ state: 'stopped' });
    const job = await client.jobs.create({ url: 'https://example.com/', webhook_url: url });
    await client.jobs.cancel(job.id);
    const { items } = await client.webhooks.deliveryPage({ subject_id: job.id });
    expect(items).toMatchObject([
      { type: 'capture.canceled', state: 'stopped', attempts: 0, last_status: null },
    ]);
    receiver.answer('/gone', 204);
    expect(await ended(client, await client.webhooks.test({ url }))).toMatchObject({ state: 'delivered' });
    const next = await client.jobs.create({ url: 'https://example.com/', webhook_url: url });
    await client.jobs.cancel(next.id);
    await eventually('the next event arrives', () => receiver.receivedAt('/gone').length === 3);
  });

  it('are replayed under the same id, with the same body', async () => {
    const client = await newClient();
    receiver.answer('/replayed', 410);
    const webhook = { webhook_url: receiver.url('/replayed'), reference: 'order-1' };
    const job = await client.jobs.create({ url: 'https://example.com/', ...webhook });
    await client.jobs.cancel(job.id);
    const { items } = await client.webhooks.deliveryPage({ subject_id: job.id });
    const [item] = items;
    if (!item) throw new Error('There is no delivery');
    expect(await ended(client, item)).toMatchObject({ state: 'stopped', attempts: 1, subject_kind: 'job' });
    receiver.answer('/replayed', 204);
    const again = await client.webhooks.replay(item.id);
    expect(again).toMatchObject({ id: item.id, subject_id: job.id });
    const record = await ended(client, item);
    expect(record).toMatchObject({
      state: 'delivered',
      attempts: 1,
      log: [{ status: 410 }, { status: 204 }],
    });
    const [first, second] = receiver.receivedAt('/replayed');
    expect([second?.id, second?.body]).toEqual([item.id, first?.body]);
    expect(JSON.parse(record.body)).toMatchObject({
      type: 'capture.canceled',
      data: { reference: 'order-1' },
    });
  });

  it('are sent once for two replays at once', async () => {
    const client = await newClient();
    const { id } = await ended(client, await client.webhooks.test({ url: receiver.url('/twice') }));
    const hanging: (() => void)[] = [];
    receiver.answerOn('/twice', (response) => hanging.push(() => response.writeHead(204).end()));
    await Promise.all([client.webhooks.replay(id), client.webhooks.replay(id)]);
    await eventually('the replay is being sent', () => receiver.receivedAt('/twice').length === 2);
    expect(await client.webhooks.replay(id)).toMatchObject({ state: 'pending', attempts: 0 });
    for (const answer of hanging) answer();
    expect(await ended(client, { id })).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(receiver.receivedAt('/twice')).toHaveLength(2);
  });

  it('are signed with both secrets after a rotation, and a repeated rotation changes nothing', async () => {
    const client = await newClient();
    const before = await client.webhooks.secret();
    expect(before).toMatchObject({ secret: expect.stringMatching(/^whsec_/), previous_until: null });
    const [one, two] = await Promise.all([client.webhooks.rotateSecret(), client.webhooks.rotateSecret()]);
    expect(one).toEqual(two);
    expect(await client.webhooks.secret()).toEqual(one);
    expect(one.secret).not.toBe(before.secret);
    const leftMs = Date.parse(one.previous_until ?? '') - Date.now();
    expect(Math.round(leftMs / 3_600_000)).toBe(24);
    await ended(client, await client.webhooks.test({ url: receiver.url('/rotated') }));
    const { body, headers } = onlyAt('/rotated');
    for (const { secret } of [before, one]) {
      expect(await client.webhooks.verify(body, headers, secret)).toHaveProperty('type', 'webhook.test');
    }
  });

  it('are listed page by page, by filter, and only to their account', async () => {
    const [client, stranger] = [await newClient(), await newClient()];
    receiver.answer('/odd', 500);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const url = receiver.url(i % 2 === 1 ? '/odd' : '/even');
      ids.unshift((await ended(client, await client.webhooks.test({ url }))).id);
    }
    const idsOf = async (filters: Omit<DeliveryFilters, 'cursor'>): Promise<string[]> => {
      const found: string[] = [];
      for await (const { id } of client.webhooks.deliveries(filters)) found.push(id);
      return found;
    };
    expect(await idsOf({ limit: 2 })).toEqual(ids);
    expect(await idsOf({ limit: 1, state: 'failed' })).toEqual([ids[1], ids[3]]);
    expect(await idsOf({ type: 'capture.succeeded' })).toEqual([]);
    const { created_at: middle } = await client.webhooks.delivery(ids[2] ?? '');
    expect(await idsOf({ created_after: middle })).toEqual(ids.slice(0, 2));
    expect(await idsOf({ created_before: middle })).toEqual(ids.slice(3));
    const page = await client.webhooks.deliveryPage({ limit: 5 });
    expect(page.next_cursor).toBeNull();
    expect(page.items[0]).not.toHaveProperty('body');
    expect((await stranger.webhooks.deliveryPage()).items).toEqual([]);
    for (const call of ['delivery', 'replay'] as const) {
      await expect(stranger.webhooks[call](ids[0] ?? '')).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await client.webhooks.delivery(ids[0] ?? '')).toMatchObject({ attempts: 1 });
  });
});
