import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** A page with a button, a text and a clock that never shows the same time twice. */
const PAGE = {
  button: 'left: 100px; top: 300px',
  words: 'Nothing has changed.',
};

describe('comparison', () => {
  let apps: Apps;
  let client: Client;
  let receiver: WebhookReceiver;
  let server: Server;
  let url: string;
  let page = PAGE;
  let visits = 0;

  beforeAll(async () => {
    server = createServer((_, response) => {
      visits += 1;
      response.setHeader('content-type', 'text/html').end(`<!doctype html><title>News</title>
        <style>body { margin: 0 } div { position: absolute; width: 120px; height: 40px; background: #060 }</style>
        <div style="${page.button}"></div><p style="margin: 100px">${page.words}</p><p class="clock">${visits}</p>`);
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

  async function run(options: Json = {}): Promise<Json> {
    const accepted = await json(client.submit({ url, compare_with: 'previous', ...options }));
    if (typeof accepted.id !== 'string') throw new Error(JSON.stringify(accepted));
    const record = await json(client.get(`/v1/jobs/${accepted.id}?wait=30`));
    expect(record).toMatchObject({ status: 'succeeded' });
    return record;
  }

  async function pictureOf(path: string) {
    const response = await client.get(path);
    expect(response.headers.get('content-type')).toBe('image/png');
    const bytes = Buffer.from(await response.arrayBuffer());
    return sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  }

  it('says what changed on a page, shows it, and announces it', async () => {
    page = PAGE;
    const options = { compare_ignore_selectors: ['.clock'], webhook_url: receiver.url('/hook') };
    const first = await run(options);
    expect(first).toMatchObject({ change: null, files: [{ name: 'result' }] });
    const second = await run(options);
    expect(second.change).toEqual({
      compared_with: first.id,
      failure: null,
      changed: false,
      ratio: 0,
      boxes: [],
      size_changed: false,
      text_changed: false,
      noise: [],
      lines: [],
      summary: null,
    });
    expect(second.files).toHaveLength(1);

    page = { button: 'left: 600px; top: 300px', words: 'Everything has changed.' };
    const third = await run(options);
    expect(third.change).toMatchObject({ compared_with: second.id, changed: true, text_changed: true });
    const { boxes } = third.change as { boxes: Json[] };
    expect(boxes).toContainEqual({ x: 100, y: 300, width: 120, height: 40 });
    expect(boxes).toContainEqual({ x: 600, y: 300, width: 120, height: 40 });
    const words = boxes.filter(({ y }) => Number(y) < 200);
    expect(words.length).toBeGreaterThan(0);
    expect(boxes).toHaveLength(2 + words.length);
    expect(third.files).toMatchObject([
      { name: 'result', width: 1280, height: 800 },
      {
        name: 'diff',
        format: 'png',
        width: 1280,
        height: 800,
        url: `/v1/captures/${String(third.id)}/files/diff`,
      },
    ]);
    const { data, info } = await pictureOf(`/v1/captures/${String(third.id)}/files/diff`);
    const [r = 0, g = 0] = data.subarray((320 * info.width + 650) * 3);
    expect([r > 200, g < 120]).toEqual([true, true]);

    await eventually('all events arrive', () => receiver.receivedAt('/hook').length === 4);
    const events = receiver
      .receivedAt('/hook')
      .map(({ body }) => JSON.parse(String(body)) as { type: string; data: Json });
    const changed = events.filter(({ type }) => type === 'capture.changed');
    expect(changed).toHaveLength(1);
    expect(changed[0]?.data).toMatchObject({ id: third.id, change: third.change });
    expect(events.filter(({ type }) => type === 'capture.succeeded')).toHaveLength(3);
    const hook = receiver.receivedAt('/hook').find(({ body }) => {
      const event = JSON.parse(String(body)) as { type: string; data: Json };
      return event.type === 'capture.succeeded' && event.data.id === third.id;
    });
    expect((await json(client.get(`/v1/jobs/${String(third.id)}`))).webhook).toMatchObject({ id: hook?.id });
  });

  it('compares with a capture by its id, texts by words, and answers a synchronous caller with the file', async () => {
    page = PAGE;
    const first = await run({ format: 'text' });
    page = { ...PAGE, words: 'Little has changed.' };
    const second = await run({ format: 'text', compare_with: first.id });
    expect(second.change).toMatchObject({
      compared_with: first.id,
      changed: true,
      boxes: [],
      text_changed: true,
    });
    const diff = await client.get(`/v1/captures/${String(second.id)}/files/diff`);
    expect(diff.headers.get('content-type')).toContain('text/plain');
    expect(await diff.text()).toContain('-Nothing has changed.\n');

    await run({});
    page = { ...PAGE, button: 'left: 600px; top: 300px' };
    const response = await client.capture({ url, compare_with: 'previous' });
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('content-disposition')).toContain('127.0.0.1.png');
    const id = String(response.headers.get('x-capture-id'));
    expect((await json(client.get(`/v1/captures/${id}`))).change).toMatchObject({ changed: true });
  });
});
