import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';

const EVERY_DAY = { every_s: 86_400 };
const PAGE = { url: 'https://shop.example/orders' };

describe('/v1/monitors', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
    const state = { cookies: [], origins: [] };
    await client.post('/v1/sessions', { name: 'shop', origins: ['https://shop.example'], state });
  });

  afterAll(() => api.close());

  it('accepts the examples of docs/monitors.md, each page of a batch on its own', async () => {
    const page = readFileSync('docs/monitors.md', 'utf8');
    const examples = [...page.matchAll(/```json\n(\{"name".*?)```/gs)].map(
      ([, text = '']) => JSON.parse(text) as Json,
    );
    // Mail needs a server.
    const bodies = examples.map((body) => ({
      ...body,
      notify: ((body.notify ?? []) as Json[]).filter(({ type }) => type !== 'email'),
    }));
    const made = await Promise.all(bodies.map((body) => json(client.post('/v1/monitors', body))));
    expect(made.map(({ name, batch }) => [name, (batch as { items: Json[] } | null)?.items.length])).toEqual([
      ['lamp', undefined],
      ['status', undefined],
      ['site', 3],
    ]);
    const [, , site] = made;
    expect(site).toMatchObject({ batch: { items: [{ clean: true }, { clean: true }, { clean: false }] } });
  });

  it.each<[string, Json, string, string]>([
    ['no schedule', { capture: PAGE }, '/schedule', 'required'],
    ['no page', { schedule: EVERY_DAY }, '/capture', 'required'],
    [
      'two kinds of pages',
      { schedule: EVERY_DAY, capture: PAGE, batch: { items: [PAGE] } },
      '/batch',
      'conflict',
    ],
    ['a short period', { schedule: { every_s: 59 }, capture: PAGE }, '/schedule/every_s', 'out_of_range'],
    [
      'an unknown zone',
      { schedule: { cron: '0 8 * * *', timezone: 'Mars' }, capture: PAGE },
      '/schedule/timezone',
      'invalid_value',
    ],
    [
      'a cron expression of six fields',
      { schedule: { cron: '0 0 8 * * *' }, capture: PAGE },
      '/schedule/cron',
      'invalid_value',
    ],
    [
      'an option of the monitor',
      { schedule: EVERY_DAY, capture: { ...PAGE, cache_ttl_s: 60 } },
      '/capture/cache_ttl_s',
      'not_for_route',
    ],
    [
      'slices, which are not compared',
      { schedule: EVERY_DAY, capture: { ...PAGE, full_page: true, slice_height: 900 } },
      '/capture/slice_height',
      'not_for_route',
    ],
    [
      'a bad option',
      { schedule: EVERY_DAY, capture: { ...PAGE, formt: 'png' } },
      '/capture/formt',
      'unknown_field',
    ],
    [
      'a bad page of several',
      { schedule: EVERY_DAY, batch: { items: [PAGE, { url: 'shop' }] } },
      '/batch/items/1/url',
      'invalid_value',
    ],
    [
      'an unknown session',
      { schedule: EVERY_DAY, capture: { ...PAGE, session: 'other' } },
      '/capture/session',
      'unknown_session',
    ],
    [
      'a page beyond its session',
      { schedule: EVERY_DAY, batch: { items: [{ url: 'https://a.example/', session: 'shop' }] } },
      '/batch/items/0/url',
      'session_origin',
    ],
    [
      'an unknown kind of receiver',
      { schedule: EVERY_DAY, capture: PAGE, notify: [{ type: 'pager', url: 'https://a.example/' }] },
      '/notify/0/type',
      'not_allowed',
    ],
    [
      'a chat without its address',
      { schedule: EVERY_DAY, capture: PAGE, notify: [{ type: 'slack' }] },
      '/notify/0/url',
      'required',
    ],
    [
      'a chat that is not reached by https',
      { schedule: EVERY_DAY, capture: PAGE, notify: [{ type: 'teams', url: 'http://a.example/' }] },
      '/notify/0/url',
      'not_allowed',
    ],
    [
      'several mail addresses in one',
      { schedule: EVERY_DAY, capture: PAGE, notify: [{ type: 'email', to: 'a@b.example, c@d.example' }] },
      '/notify/0/to',
      'invalid_value',
    ],
    [
      'a mail where there is no mail server',
      { schedule: EVERY_DAY, capture: PAGE, notify: [{ type: 'email', to: 'ada@people.example' }] },
      '/notify/0/type',
      'not_allowed',
    ],
  ])('refuses %s, and says where', async (_, body, pointer, code) => {
    const response = await client.post('/v1/monitors', body);
    const { errors } = (await json(response)) as { errors: readonly { pointer: string; code: string }[] };
    expect(response.status).toBe(400);
    expect(errors.map((fault) => [fault.pointer, fault.code])).toEqual([[pointer, code]]);
  });

  it('refuses a chat in our network', async () => {
    const notify = [{ type: 'discord', url: 'https://10.0.0.1/' }];
    const response = client.post('/v1/monitors', { schedule: EVERY_DAY, capture: PAGE, notify });
    expect(await statusAndCode(response)).toEqual([403, 'target_forbidden']);
  });

  it('previews a schedule without making anything', async () => {
    const preview = (schedule: Json) => client.post('/v1/monitors/preview', { schedule });
    const { next_runs: next } = await json(preview({ cron: '0 9 * * *', timezone: 'Europe/Paris' }));
    expect(next).toHaveLength(5);
    expect(next).toEqual((next as string[]).toSorted());
    expect(await statusAndCode(preview({ every_s: 5 }))).toEqual([400, 'invalid_request']);
  });

  it('checks once for requests with the same Idempotency-Key', async () => {
    const other = await api.client();
    const { id } = await json(other.post('/v1/monitors', { schedule: EVERY_DAY, capture: PAGE }));
    const run = (key: string) =>
      other.send('POST', `/v1/monitors/${String(id)}/run`, { headers: { 'idempotency-key': key } });
    const replayed = [await run('a'), await run('a')].map(({ headers }) =>
      headers.get('idempotency-replayed'),
    );
    expect(replayed).toEqual([null, 'true']);
    const { items } = (await json(other.get(`/v1/monitors/${String(id)}/checks`))) as {
      items: readonly Json[];
    };
    expect(items).toHaveLength(1);
    expect((await run('b')).status).toBe(202);
  });

  it('is not paused again by the repetition of a request after which it was resumed', async () => {
    const { id } = await json(client.post('/v1/monitors', { schedule: EVERY_DAY, capture: PAGE }));
    const ask = async (what: string, key: string) =>
      json(
        client.send('POST', `/v1/monitors/${String(id)}/${what}`, { headers: { 'idempotency-key': key } }),
      );
    expect((await ask('pause', 'p')).state).toBe('paused');
    expect((await ask('resume', 'r')).state).toBe('active');
    expect((await ask('pause', 'p')).state).toBe('active');
    expect((await ask('resume', 'p')).code).toBe('idempotency_mismatch');
  });

  it('captures pages behind a log-in with the session that they name', async () => {
    const capture = { ...PAGE, session: 'shop' };
    const { id } = await json(client.post('/v1/monitors', { schedule: EVERY_DAY, capture }));
    await client.send('POST', `/v1/monitors/${String(id)}/run`);
    const { items } = (await json(client.get('/v1/captures'))) as { items: readonly Json[] };
    const session = await json(client.get('/v1/sessions/shop'));
    expect(items).toMatchObject([{ options: { url: PAGE.url, session: session.id } }]);
  });
});
