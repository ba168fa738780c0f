import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** A shop whose price changes when the test says so, with an advertisement that is never the same twice. */
const page = { price: '€149' };

describe('monitors', () => {
  let apps: Apps;
  let client: Client;
  let receiver: WebhookReceiver;
  let server: Server;
  let url: string;
  let visits = 0;

  beforeAll(async () => {
    server = createServer((_, response) => {
      visits += 1;
      const shade = (visits * 37) % 200;
      response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html><title>Shop</title>
        <style>body { margin: 0 } div { width: 200px; height: 80px; background: rgb(${shade}, 0, ${shade}) }</style>
        <p style="margin: 100px">Price: ${page.price}</p><div></div>`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    receiver = new WebhookReceiver();
    await receiver.open();
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/`;
    apps = await startApps({
      EGRESS_ALLOW: `127.0.0.1:${port},127.0.0.1:${receiver.port}`,
      WEBHOOK_HTTP: 'true',
    });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    server.close();
    await receiver.close();
    await apps.stop();
  });

  const run = (id: unknown) => client.send('POST', `/v1/monitors/${String(id)}/run`);
  const lastCheckOf = async (id: unknown): Promise<Json> => {
    const { last_check: check } = await json(client.get(`/v1/monitors/${String(id)}`));
    return (check ?? {}) as Json;
  };
  /** Waits until the latest check, which is not this one, has an outcome. */
  const nextCheckOf = async (id: unknown, before?: unknown): Promise<Json> => {
    const hasEnded = async (): Promise<boolean> => {
      const check = await lastCheckOf(id);
      return check.id !== before && typeof check.outcome === 'string';
    };
    await eventually('the check has an outcome', hasEnded, 60_000);
    return lastCheckOf(id);
  };

  it('reports a change once, in words and pictures, and never an advertisement', async () => {
    const { id } = await json(
      client.post('/v1/monitors', {
        name: 'shop',
        schedule: { every_s: 86_400 },
        capture: { url },
        webhook_url: receiver.url('/monitors'),
      }),
    );
    const first = await nextCheckOf(id);
    expect(first).toMatchObject({ outcome: 'same', reason: 'first' });

    await run(id);
    const second = await nextCheckOf(id, first.id);
    expect(second).toMatchObject({ outcome: 'same', reason: 'unconfirmed', trigger: 'request' });
    expect(second.capture_ids).toHaveLength(2);
    expect(second.change).toMatchObject({ noise: [{ width: 200, height: 80 }] });

    page.price = '€139';
    await run(id);
    const third = await nextCheckOf(id, second.id);
    expect(third).toMatchObject({
      outcome: 'changed',
      change: { summary: 'Price: €149 → €139', lines: [{ removed: '€149', added: '€139' }] },
    });
    // The page is new, so that its noise is not known yet.
    expect(third.capture_ids).toHaveLength(3);
    for (const path of Object.values(third.files as Record<string, string>)) {
      const file = await client.get(path);
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
    }
    const hasArrived = (): boolean => receiver.received.length > 0;
    await eventually('the webhook has arrived', hasArrived);
    expect(receiver.received.map(({ body }) => (JSON.parse(body) as Json).type)).toEqual(['monitor.changed']);
  }, 180_000);

  it('names every field that is wrong', async () => {
    const response = await client.post('/v1/monitors', {
      schedule: { cron: '61 * * * *', timezone: 'Mars' },
      capture: { url, widht: 1, compare_with: 'previous' },
      alert: { confirm: 9 },
      colour: 'red',
    });
    const { errors } = await json(response);
    expect(response.status).toBe(400);
    expect((errors as Json[]).map(({ pointer }) => pointer).sort()).toEqual([
      '/alert/confirm',
      '/capture/compare_with',
      '/capture/widht',
      '/colour',
      '/schedule/timezone',
    ]);
  });
});
