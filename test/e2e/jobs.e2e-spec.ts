import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { startApps, type Apps } from '../support/apps.js';
import { BACKENDS } from '../support/backends.js';
import { Client, json, type Json } from '../support/client.js';
import { allEventsOf } from '../support/event-source.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';

/** Within this time a cancel closes the page, as docs promise. */
const STOPS_WITHIN_MS = 2_000;

describe.each(BACKENDS)('jobs with the queue in %s', (_, settings) => {
  let site: FixtureSite;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    site = await startFixtureSite();
    apps = await startApps({
      ...(await settings()),
      EGRESS_ALLOW: `127.0.0.1:${site.port}`,
      WORKER_SLOTS: '1',
    });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
  });

  const page = (path: string): string => `${site.url}/${path}`;
  const used = async () => (await json(client.get('/v1/usage'))).used;
  const submit = async (options: Json): Promise<string> => String((await json(client.submit(options))).id);
  const finished = async (id: string): Promise<Json> => json(client.get(`/v1/jobs/${id}?wait=30`));

  it('are accepted, finish, and their files are downloaded', async () => {
    const id = await submit({ url: page('bands.html'), format: 'webp', reference: 'first' });
    expect(await finished(id)).toMatchObject({
      source: 'job',
      status: 'succeeded',
      reference: 'first',
      format: 'webp',
      width: 1280,
      attempts: 1,
      billable: true,
      queue_position: null,
    });
    const file = await client.get(`/v1/jobs/${id}/result`);
    expect((await sharp(await file.arrayBuffer()).metadata()).format).toBe('webp');
  });

  it('are attempted once when a script fails or the page has no such element', async () => {
    const rootless = '<script>document.documentElement.remove()</script>';
    const ids = await Promise.all([
      submit({ html: '<p>page', js: 'throw new Error("no")' }),
      submit({ html: rootless, fail_if_text_missing: 'welcome' }),
      submit({ html: rootless, full_page: true, mask_selectors: ['p'] }),
    ]);
    expect(await Promise.all(ids.map(finished))).toMatchObject([
      { status: 'failed', attempts: 1, error: { code: 'script_failed' } },
      { status: 'failed', attempts: 1, error: { code: 'condition_failed' } },
      { status: 'succeeded', attempts: 1, height: 800 },
    ]);
  });

  it('send events while they run', async () => {
    const id = await submit({ url: page('slow?ms=1500') });
    const events = await allEventsOf(await client.get(`/v1/jobs/${id}/events`));
    const statuses = events.map(({ data }) => data.status);
    expect(statuses.at(-1)).toBe('succeeded');
    expect(statuses).toContain('running');
    expect(events.map(({ data }) => data.phase)).toContain('navigate');
    expect(events.at(-1)?.data.phase).toBeNull();
  });

  it('fail with the error of their page, and are not charged', async () => {
    const before = await used();
    const failing = await submit({ url: page('missing'), fail_on_status: ['404'] });
    expect(await finished(failing)).toMatchObject({ status: 'failed', error: { code: 'target_http_error' } });
    const result = await client.get(`/v1/jobs/${failing}/result`);
    expect([result.status, (await json(result)).code]).toEqual([422, 'target_http_error']);
    expect(await used()).toBe(before);
  });

  it('are canceled while queued and while running; the page is closed, and nothing is charged', async () => {
    const before = await used();
    const visits = site.requests('/slow').length;
    const running = await submit({ url: page('slow?ms=60000') });
    await eventually('the page is visited', () => site.requests('/slow').length > visits);
    const waiting = await submit({ url: page('slow?ms=60000') });
    for (const id of [waiting, running]) {
      const response = await client.send('DELETE', `/v1/jobs/${id}`);
      expect([response.status, (await json(response)).status]).toEqual([200, 'canceled']);
    }
    // The only slot is free again, so the next job is captured at once.
    const next = await submit({ url: page('bands.html') });
    await eventually(
      'the next job is captured',
      async () => (await json(client.get(`/v1/jobs/${next}`))).status === 'succeeded',
      STOPS_WITHIN_MS + 5_000,
    );
    for (const id of [waiting, running]) {
      expect(await json(client.get(`/v1/jobs/${id}`))).toMatchObject({
        status: 'canceled',
        cancel_reason: 'client_request',
        billable: false,
      });
      const result = await client.get(`/v1/jobs/${id}/result`);
      expect([result.status, (await json(result)).code]).toEqual([409, 'job_canceled']);
      expect((await client.send('DELETE', `/v1/jobs/${id}`)).status).toBe(200);
    }
    expect(await used()).toBe(Number(before) + 1);
    const refused = await client.send('DELETE', `/v1/jobs/${next}`);
    expect([refused.status, (await json(refused)).code]).toEqual([409, 'job_finished']);
  });

  it('are deleted at any moment and leave no file behind, whatever wins the race', async () => {
    const folderOf = (id: string) => path.join(apps.env.DATA_DIR ?? '', 'files/captures', id);
    const filesOf = (id: string): Promise<string[]> => readdir(folderOf(id)).catch(() => []);
    const remove = (id: string) => client.send('DELETE', `/v1/captures/${id}`);
    const ids = await Promise.all(Array.from({ length: 12 }, () => submit({ url: page('bands.html') })));
    // Deletes each at another moment between its claim and some time after its end.
    await Promise.all(
      ids.map(async (id, i) => {
        const isUnderWay = async () => (await json(client.get(`/v1/jobs/${id}`))).status !== 'queued';
        await eventually('a worker runs it', isUnderWay);
        if (i % 3 === 1) await finished(id);
        if (i % 3 === 2) await eventually('its file is stored', async () => (await filesOf(id)).length > 0);
        expect(await json(remove(id))).toMatchObject({ url: null, deleted_at: expect.any(String) });
      }),
    );
    // There is one slot: when this job is done, no worker has anything of the others.
    const last = await submit({ url: page('bands.html') });
    await finished(last);
    expect((await Promise.all(ids.map(filesOf))).flat()).toEqual([]);
    expect(await filesOf(last)).toHaveLength(1);
  });

  it('wait while a synchronous capture goes first', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => submit({ url: page('slow?ms=300') })));
    const sync = await client.record({ url: page('bands.html') });
    expect(sync.status).toBe('succeeded');
    for (const id of ids) expect((await finished(id)).status).toBe('succeeded');
  });
});
