import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { type Client, json, type Json } from '../../../test/support/client.js';

const PAGE = { url: 'https://example.com/page' };
const DEFAULTS = { clean: true, full_page: true, quality: 60, timezone: 'Europe/Berlin' };
/** What applies of them to a capture without options: the quality is not for PNG. */
const APPLIED = { clean: true, full_page: true, timezone: 'Europe/Berlin' };

type Owner = Client & { readonly accountId: string };

describe('DEFAULT_OPTIONS', () => {
  let api: TestApi;
  let client: Owner;

  beforeAll(async () => {
    api = await startApi({ DEFAULT_OPTIONS: JSON.stringify(DEFAULTS) });
    client = await api.client();
  });

  afterAll(() => api.close());

  /** The options of the records of a batch, in the order of its rows. */
  const rowsOf = async (accepted: Promise<Response>): Promise<unknown[]> => {
    const response = await accepted;
    const batch = await json(response);
    expect([response.status, batch.errors ?? []]).toEqual([202, []]);
    const { items } = await json(client.get(`/v1/bulk/${String(batch.id)}/results`));
    return (items as Json[]).map(({ options }) => options);
  };
  const postCsv = (rows: readonly string[], query = '', by: Client = client) =>
    by.send('POST', `/v1/bulk/csv${query}`, {
      headers: { 'content-type': 'text/csv' },
      body: rows.join('\n'),
    });

  it('apply to POST /v1/capture and are shown in the record', async () => {
    const owner = await api.client();
    const answer = owner.record({ ...PAGE, timezone: 'UTC', format: 'jpeg' });
    await (await api.claim(owner)).succeed();
    expect((await answer).options).toEqual({
      ...DEFAULTS,
      ...PAGE,
      timezone: 'UTC',
      format: 'jpeg',
      response: 'json',
    });
  });

  it('apply to POST /v1/jobs, and to what the worker runs', async () => {
    const owner = await api.client();
    const record = await json(owner.submit({ ...PAGE, block_ads: false }));
    expect(record.options).toEqual({ ...APPLIED, ...PAGE, block_ads: false });
  });

  it('step back without a fault on every route', async () => {
    const selected = { ...PAGE, selector: 'main', clean: false };
    const expected = { timezone: 'Europe/Berlin', ...selected };
    expect((await json(client.submit(selected))).options).toEqual(expected);
    const json0 = client.post('/v1/bulk/json', { items: [selected], defaults: { dark_mode: true } });
    expect(await rowsOf(json0)).toEqual([{ ...expected, dark_mode: true }]);
    const csv = postCsv(['url,selector,clean', `${PAGE.url},main,FALSE`]);
    expect(await rowsOf(csv)).toEqual([expected]);
  });

  it('apply to POST /v1/bulk/json below the defaults of the batch, unless a row unsets them', async () => {
    const body = {
      defaults: { timezone: 'UTC', cookie_consent: 'accept' },
      items: [PAGE, { ...PAGE, clean: null, cookie_consent: null, full_page: null, timezone: null }],
    };
    expect(await rowsOf(client.post('/v1/bulk/json', body))).toEqual([
      { clean: true, full_page: true, ...body.defaults, ...PAGE },
      { ...PAGE, clean: null, cookie_consent: null, full_page: null, timezone: null },
    ]);
  });

  it('apply to POST /v1/bulk/csv, unless a cell unsets them', async () => {
    const csv = postCsv(
      ['url,clean,format,full_page', `${PAGE.url},,,`, `${PAGE.url},!,webp,!`, `${PAGE.url},TRUE,pdf,`],
      '?timezone=UTC',
    );
    expect(await rowsOf(csv)).toEqual([
      { ...APPLIED, ...PAGE, timezone: 'UTC' },
      { ...PAGE, clean: null, format: 'webp', full_page: null, quality: 60, timezone: 'UTC' },
      { ...PAGE, clean: true, format: 'pdf', timezone: 'UTC' },
    ]);
  });

  it('apply to dry runs', async () => {
    const items = [
      { ...PAGE, max_height: 500 },
      { ...PAGE, max_height: 500, full_page: false },
    ];
    expect(await json(client.post('/v1/bulk/json?dry_run=true', { items }))).toMatchObject({
      valid: 1,
      errors: [{ row: 2, column: 'max_height' }],
    });
    const rows = ['url,max_height,full_page', `${PAGE.url},500,`, `${PAGE.url},500,!`];
    expect(await json(postCsv(rows, '?dry_run=true'))).toMatchObject({
      valid: 1,
      errors: [{ row: 2, column: 'max_height' }],
    });
  });

  it('leave the faults of a request as they are', async () => {
    const bad = { ...PAGE, selector: 'p', clip_x: 1, quality: 'high' };
    const errors = async (by: Promise<Response>) => (await json(by)).errors;
    const found = await errors(client.submit(bad));
    expect(found).toEqual(
      await errors(client.submit({ ...bad, clean: false, full_page: false, timezone: 'UTC' })),
    );
    expect((found as Json[]).map(({ pointer }) => pointer)).toContain('/quality');
  });

  it('are replaced by those of today when failed rows are retried', async () => {
    const owner = await api.client();
    const first = await json(owner.post('/v1/bulk/json', { items: [{ ...PAGE, dark_mode: true }] }));
    await (await api.claim(owner)).fail(new AppError('target_dns_error'));
    const retry = { retry_failed_of: first.id, defaults: { selector: 'main', clean: false } };
    const second = await json(owner.post('/v1/bulk/json', retry));
    const { items } = await json(owner.get(`/v1/bulk/${String(second.id)}/results`));
    expect(items).toMatchObject([
      { options: { ...PAGE, dark_mode: true, selector: 'main', clean: false, timezone: 'Europe/Berlin' } },
    ]);
    expect((items as Json[])[0]?.options).not.toHaveProperty('full_page');
  });

  describe('when the operator changes them', () => {
    let other: TestApi;

    beforeAll(async () => {
      other = await startApi({
        DATABASE_URL: api.database.url,
        DEFAULT_OPTIONS: JSON.stringify({ dark_mode: true }),
      });
    });

    afterAll(() => other.close());

    const sentTwice = async (send: (by: Client) => Promise<Response>): Promise<[Json, Json]> => {
      const before = await send(client);
      const after = await send(client.forApps(other));
      expect([before.status, after.status, after.headers.get('idempotency-replayed')]).toEqual([
        202,
        202,
        'true',
      ]);
      return [await json(before), await json(after)];
    };

    it('accepted jobs keep theirs, and a retry is still the same request', async () => {
      const key = { 'idempotency-key': 'job' };
      const [before, after] = await sentTwice((by) => by.submit(PAGE, key));
      expect(after).toEqual(before);
      const record = await json(client.forApps(other).get(`/v1/jobs/${String(before.id)}`));
      expect(record.options).toEqual({ ...APPLIED, ...PAGE });
      const [batch, again] = await sentTwice((by) =>
        by.post('/v1/bulk/json', { items: [PAGE] }, { 'idempotency-key': 'batch' }),
      );
      expect(again.id).toBe(batch.id);
    });

    it('a retry of POST /v1/capture gets the first capture', async () => {
      const owner = await api.client();
      const capture = (by: Client) =>
        by.capture({ ...PAGE, response: 'json' }, { headers: { 'idempotency-key': 'capture' } });
      const answer = capture(owner);
      await (await api.claim(owner)).succeed();
      const before = await json(answer);
      const after = await json(capture(owner.forApps(other)));
      expect([after.id, after.options]).toEqual([before.id, { ...APPLIED, ...PAGE, response: 'json' }]);
    });

    it('the API document is the same', async () => {
      const documents = await Promise.all(
        [client, client.forApps(other)].map((by) => json(by.get('/docs/openapi.json'))),
      );
      expect(documents[1]).toEqual(documents[0]);
    });
  });
});
