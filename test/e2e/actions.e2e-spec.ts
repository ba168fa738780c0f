import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { dumpOf } from '../support/database-dump.js';
import { eventually } from '../support/eventually.js';
import { ConsoleBrowser } from '../support/console-browser.js';
import { freePort } from '../support/free-port.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { ToolUser } from '../support/mcp.js';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.js';
import { BASE32_SEED, PASSWORD, TwoStepSite } from '../support/two-step-site.js';

/** No other text of the service contains it. */
const CANARY = 'canary-hunter2-7f3a';
const SEED = 'NBSWY3DPEHPK3PXPNBSWY3DP';

describe('actions', () => {
  let site: FixtureSite;
  let apps: Apps;
  let client: Client;
  let bank: TwoStepSite;
  let receiver: OtlpReceiver;

  beforeAll(async () => {
    site = await startFixtureSite();
    [bank, receiver] = await Promise.all([TwoStepSite.start(), startOtlpReceiver()]);
    apps = await startApps({
      EGRESS_ALLOW: `127.0.0.1:${site.port},127.0.0.1:${bank.port}`,
      WORKER_SLOTS: '2',
      LOG_LEVEL: 'debug',
      METRICS_PORT: String(await freePort()),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    });
    client = new Client(apps);
    await apps.database.query(`UPDATE api_keys SET mcp_unsafe = true`);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await Promise.all([site.close(), bank.close(), receiver.close()]);
  });

  const page = (name: string): string => `${site.url}/actions/${name}.html`;
  const used = async (): Promise<number> => Number((await json(client.get('/v1/usage'))).used);

  /** The traces of the service, as soon as those of these captures have arrived. */
  async function tracesOf(ids: readonly string[]): Promise<string> {
    const traces = (): string => JSON.stringify(receiver.spans);
    await eventually('the traces have arrived', () => ids.every((id) => traces().includes(id)));
    return traces();
  }

  /** What the console shows of these captures. */
  async function consolePages(ids: readonly string[]): Promise<string> {
    const browser = await ConsoleBrowser.launch(apps);
    try {
      const visit = await browser.visit();
      const texts: string[] = [];
      for (const id of ids) {
        await visit.open(`/captures/${id}`);
        await visit.sees(id);
        texts.push(await visit.page.content());
      }
      return texts.join('\n');
    } finally {
      await browser.close();
    }
  }

  const LOGIN = [
    { type: 'fill', selector: '#user', value: 'ada' },
    { type: 'fill', selector: '#password', secret: 'password' },
    { type: 'fill', selector: '#code', totp: 'seed' },
    { type: 'click', selector: '#in' },
    { type: 'wait', selector: 'text/Wrong password' },
  ];
  const secrets = { password: CANARY, seed: SEED };

  it('are reported in the record', async () => {
    const record = await client.record({
      url: page('form'),
      actions: [
        { type: 'fill', selector: '#name', value: 'Ada' },
        { type: 'click', selector: '#nowhere', optional: true, timeout_ms: 100 },
        { type: 'click', selector: 'text/Sign in' },
      ],
    });
    expect(record).toMatchObject({ status: 'succeeded', title: expect.stringContaining('click:plain') });
    expect(record.actions).toMatchObject([
      { index: 0, type: 'fill', done: true, ms: expect.any(Number) },
      {
        index: 1,
        type: 'click',
        done: false,
        problem: expect.stringContaining('nothing on the page matches'),
      },
      { index: 2, type: 'click', done: true },
    ]);
    expect((await client.record({ url: page('form') })).actions).toBeNull();
  });

  it('that fail answer 422 with the pointer and a picture of the window, and are not charged', async () => {
    const before = await used();
    const answer = await client.capture({
      url: page('form'),
      format: 'pdf',
      on_failure_picture: true,
      actions: [
        { type: 'hover', selector: '#hover' },
        { type: 'click', selector: '#covered', timeout_ms: 300 },
      ],
    });
    expect(answer.status).toBe(422);
    expect(await json(answer)).toMatchObject({
      code: 'action_failed',
      errors: [{ pointer: '/actions/1', code: 'covered', detail: expect.stringContaining('<div id="veil"') }],
    });
    expect(await used()).toBe(before);
    const id = String(answer.headers.get('x-capture-id'));
    const record = await json(client.get(`/v1/captures/${id}`));
    expect(record).toMatchObject({ status: 'failed', bytes: null, result_url: null, billable: false });
    expect(record.files).toMatchObject([
      { name: 'failure', format: 'png', url: `/v1/captures/${id}/files/failure` },
    ]);
    const file = await client.get(`/v1/captures/${id}/files/failure`);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 1280, height: 800 });
    expect(createHash('sha256').update(bytes).digest('hex')).toBe((record.files as Json[])[0]?.sha256);
    expect((await client.get(`/v1/captures/${id}/result`)).status).toBe(422);
    expect((await client.send('DELETE', `/v1/captures/${id}`)).status).toBeLessThan(300);
    expect((await client.get(`/v1/captures/${id}/files/failure`)).status).toBe(410);
  });

  it('have no picture of their failure without being asked', async () => {
    const answer = await client.capture({
      url: page('form'),
      actions: [{ type: 'click', selector: '#off', timeout_ms: 100 }],
    });
    const id = String(answer.headers.get('x-capture-id'));
    expect((await json(client.get(`/v1/captures/${id}`))).files).toEqual([]);
    expect((await client.get(`/v1/captures/${id}/files/failure`)).status).toBe(422);
  });

  it('that open a forbidden address are refused before anything runs', async () => {
    const actions = [{ type: 'navigate', url: 'http://169.254.169.254/latest' }];
    const answer = await client.capture({ url: page('form'), actions });
    expect([answer.status, (await json(answer)).code]).toEqual([403, 'target_forbidden']);
  });

  it('type secrets that nothing of the service shows, in whatever way they end', async () => {
    const failing = [...LOGIN, { type: 'click', selector: '#nowhere', timeout_ms: 200 }];
    const outputs = ['html', 'text', 'png'].map((format) => ({ name: format, format }));
    const records = [
      await client.record({ url: page('login'), actions: LOGIN, secrets, metadata: true, outputs }),
      await client.record({ url: page('login'), actions: failing, secrets, on_failure_picture: true }),
      await json(client.submit({ url: page('login'), actions: LOGIN, secrets })),
    ];
    await json(client.get(`/v1/jobs/${String(records[2]?.id)}?wait=30`));
    await using user = await ToolUser.overHttp(apps);
    const tool = await user.call('capture', { url: page('login'), actions: failing, secrets });
    const seen = site.requests('/actions/login.html').map((request) => decodeURIComponent(request.path));
    expect(seen.filter((path_) => path_.includes(CANARY))).toHaveLength(4);
    expect(tool.text).toContain('action_failed');
    const list = await json(client.get('/v1/captures?limit=4'));
    const ids = (list.items as Json[]).map(({ id }) => String(id));
    const dump = await dumpOf(apps.database);
    // It would also be free of secrets if it were free of captures.
    expect(dump).toContain('action_failed');
    const everywhere = [
      JSON.stringify(records),
      JSON.stringify(tool),
      JSON.stringify(list),
      await (await fetch(`${apps.worker.url}/metrics`)).text(),
      await (await fetch(`http://127.0.0.1:${apps.env.METRICS_PORT}/metrics`)).text(),
      apps.api.log(),
      apps.worker.log(),
      dump,
      await tracesOf(ids),
      await consolePages(ids),
    ];
    for (const secret of [CANARY, SEED]) {
      for (const text of everywhere) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(Buffer.from(secret).toString('hex'));
      }
    }
    const files = path.join(apps.env.DATA_DIR ?? '', 'files');
    for (const entry of await readdir(files, { recursive: true, withFileTypes: true })) {
      if (entry.isFile())
        expect((await readFile(path.join(entry.parentPath, entry.name))).includes(CANARY)).toBe(false);
    }
    expect(records[0]).toMatchObject({ options: { actions: LOGIN, secrets: '[redacted]' } });
  });

  it('leave a thumbnail that is the same whatever the secret is, as the picture', async () => {
    const drawn = async (typed: Json, given: Json = {}) => {
      const { id } = await client.record({
        url: page('login'),
        css: '#echo { font-size: 60px }',
        actions: [
          { type: 'fill', selector: '#password', ...typed },
          { type: 'click', selector: '#in' },
          { type: 'wait', selector: 'text/Wrong password' },
        ],
        ...given,
      });
      const pixelsOf = async (name: string): Promise<Buffer> => {
        const answer = await client.get(`/v1/captures/${String(id)}/${name}`);
        expect(answer.status).toBe(200);
        const picture = sharp(Buffer.from(await answer.arrayBuffer()));
        return picture.raw().toBuffer();
      };
      return { result: await pixelsOf('result'), thumbnail: await pixelsOf('thumbnail') };
    };
    const other = [...CANARY].reverse().join('');
    const hidden = await drawn({ secret: 'password' }, { secrets: { password: CANARY } });
    const otherHidden = await drawn({ secret: 'password' }, { secrets: { password: other } });
    const shown = await drawn({ value: CANARY });
    const otherShown = await drawn({ value: other });
    for (const name of ['result', 'thumbnail'] as const) {
      expect(hidden[name].equals(otherHidden[name])).toBe(true);
      // A text that is no secret looks different from dots, and from another text.
      expect(shown[name].equals(hidden[name])).toBe(false);
      expect(shown[name].equals(otherShown[name])).toBe(false);
    }
  });

  it('log in with a password and the code of an authenticator, and capture what stands behind it', async () => {
    const answer = await client.capture({
      url: bank.url,
      format: 'text',
      actions: [
        { type: 'fill', selector: 'aria/Password', secret: 'password' },
        { type: 'click', selector: 'text/Continue' },
        { type: 'fill', selector: 'aria/Code', totp: 'authenticator' },
        { type: 'click', selector: 'text/Continue' },
        { type: 'wait', selector: 'text/Account of' },
      ],
      secrets: { password: PASSWORD, authenticator: BASE32_SEED },
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Balance: 12 coins')]);
  });

  it.each([
    [{ actions: [{ type: 'clik', selector: 'a' }] }, '/actions/0/type'],
    [{ actions: [{ type: 'click' }] }, '/actions/0/selector'],
    [{ actions: 'click' }, '/actions'],
    [{ recording: { steps: [{ type: 'customStep' }] } }, '/recording/steps/0/type'],
    [{ secrets: { password: 'abc' } }, '/secrets'],
    [{ on_failure_picture: 'yes' }, '/on_failure_picture'],
  ])('are refused by pointer: %j', async (options, pointer) => {
    const answer = await client.capture({ url: page('form'), ...options });
    expect(answer.status).toBe(400);
    expect((await json(answer)).errors).toMatchObject([{ pointer }]);
  });

  it('stand as JSON in a cell of a CSV', async () => {
    const cell = JSON.stringify([{ type: 'click', selector: '#plain' }]).replaceAll('"', '""');
    const answer = await client.send('POST', '/v1/bulk/csv', {
      headers: { 'content-type': 'text/csv' },
      body: `url,actions\n${page('form')},"${cell}"\n`,
    });
    const { id } = await json(answer);
    // The events end with the batch.
    await (await client.get(`/v1/bulk/${String(id)}/events`)).text();
    const results = await json(client.get(`/v1/bulk/${String(id)}/results`));
    const [row] = results.items as Json[];
    expect(row?.actions).toMatchObject([{ type: 'click', done: true }]);
  });
});
