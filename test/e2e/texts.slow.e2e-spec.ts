import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { HostileSite } from '../support/hostile-site.js';

describe('a long text of a page', () => {
  let site: HostileSite;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    site = await HostileSite.open();
    const env = { EGRESS_ALLOW: `127.0.0.1:${site.port}`, WORKER_SLOTS: '1', LOG_LEVEL: 'info' };
    apps = await startApps(env);
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
  });

  const page = (how = ''): string => site.url(`texts.html?how=${how}`);

  it('is cut in the error of a capture, in its record and in the log', async () => {
    const options = { url: page(), wait_for_function: "speak('error')" };
    const response = await client.capture(options);
    expect(response.status).toBe(422);
    const problem = await json(response);
    expect(problem).toMatchObject({ code: 'script_failed', detail: expect.stringMatching(/^.{300}$/) });
    expect(apps.worker.log().length).toBeLessThan(20_000);
  });

  it('is not logged as a fault of the service when the timeout of the request was too short', async () => {
    const id = 'timeout-of-the-caller';
    const response = await client.capture(
      { url: page(), wait_for_function: 'false', timeout_ms: 1_500 },
      { headers: { 'x-request-id': id } },
    );
    expect(response.status).toBe(504);
    const levelsIn = (log: string): string[] =>
      log
        .split('\n')
        .filter((line) => line.includes(id))
        .map((line) => (JSON.parse(line) as { level: string }).level);
    await eventually('both have logged it', () =>
      [apps.api, apps.worker].every(({ log }) => levelsIn(log()).length > 0),
    );
    expect([levelsIn(apps.api.log()), levelsIn(apps.worker.log())]).toEqual([['info'], ['info']]);
  });

  it('is cut in the facts of a capture and in the headers of its file', async () => {
    expect(await client.record({ url: page('long-title') })).toMatchObject({
      status: 'succeeded',
      title: expect.stringMatching(/^x{1023}…$/),
    });
    expect(await client.record({ url: page('odd-title') })).toMatchObject({
      status: 'succeeded',
      title: expect.stringMatching(/^a.?b\ufffdc/u),
    });
    const response = await client.capture({ url: page('long-url') });
    expect(response.status).toBe(200);
    expect(response.headers.has('x-capture-final-url')).toBe(false);
    const record = await json(client.get(`/v1/captures/${response.headers.get('x-capture-id')}`));
    expect(record).toMatchObject({ final_url: expect.stringMatching(/^.{8191}…$/) });
  });

  it('is cut in the metadata of a page, which is stored whatever its characters', async () => {
    const about = (how: string) =>
      client.record({ url: site.url(`metadata.html?how=${how}`), metadata: true });
    const [odd, full] = [await about('odd'), await about('full')];
    expect(odd.page).toMatchObject({ title: odd.title, lang: 'a b\ufffdc [31m\u202e😀', truncated: [] });
    expect(full.page).toMatchObject({ headings: expect.arrayContaining([{ level: 2, text: 'Heading 0' }]) });
    for (const { id, page: stored } of [odd, full]) {
      expect((await json(client.get(`/v1/captures/${String(id)}`))).page).toEqual(stored);
    }
  });

  it('is cut in lists and in the results of a batch', async () => {
    const items = [
      { url: site.url('metadata.html?how=full'), metadata: true },
      ...['long-url', 'long-title', 'odd-title'].map((how) => ({ url: page(how) })),
      { url: page(), js: "speak('error')" },
      { url: page(), js: "speak('odd')" },
      {
        [`\0\ud800${'x'.repeat(100_000)}`]: 1,
        url: 'no',
        [`"\\${'"'.repeat(99)}`]: 1,
        ['世'.repeat(200)]: 1,
      },
    ];
    const batch = await json(client.post('/v1/bulk/json', { items, on_invalid: 'skip' }));
    expect(batch).toMatchObject({ status: 'queued', rejected: 1 });
    await eventually(
      'the batch is completed',
      async () => (await json(client.get(`/v1/bulk/${String(batch.id)}`))).status === 'completed',
      30_000,
    );
    const list = await client.get('/v1/captures?limit=100');
    expect(list.status).toBe(200);
    expect((await list.text()).length).toBeLessThan(100_000);
    const csv = await client.get(`/v1/bulk/${String(batch.id)}/download`);
    expect(csv.status).toBe(200);
    expect((await csv.text()).length).toBeLessThan(50_000);
  });
});
