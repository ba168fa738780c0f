import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client, type Json } from '../../../../test/support/client.js';

type Owner = Client & { readonly accountId: string };

const PAGE = { url: 'https://example.com/page' };

describe('a capture to compare with', () => {
  let api: TestApi;
  let owner: Owner;

  beforeAll(async () => {
    api = await startApi();
    owner = await api.client({ concurrency: 50 });
  });

  afterAll(async () => {
    await api.close();
  });

  async function submitted(options: Json = {}, by: Client = owner): Promise<string> {
    return String((await json(by.submit({ ...PAGE, ...options }))).id);
  }

  /** A capture that has succeeded, with a PNG. */
  async function captured(options: Json = {}, by: Owner = owner): Promise<string> {
    const id = await submitted(options, by);
    await (await api.claim(by)).succeed();
    return id;
  }

  const set = (id: string, columns: string): Promise<unknown> =>
    api.database.query(`UPDATE jobs SET ${columns} WHERE id = $1`, [id]);

  const faultsOf = async (options: Json): Promise<unknown> =>
    (await json(owner.submit({ ...PAGE, ...options }))).errors;

  it('is one of the account that has succeeded, or the previous one', async () => {
    const earlier = await captured();
    for (const compare_with of [earlier, 'previous']) {
      expect((await owner.submit({ ...PAGE, compare_with })).status).toBe(202);
      await (await api.claim(owner)).succeed();
    }
  });

  it('is refused with the reason and what to do', async () => {
    const stranger = await api.client();
    const ids = {
      gone: newId(),
      foreign: await captured({}, stranger),
      text: await captured({ format: 'text' }),
      dense: await captured({ device_scale_factor: 2 }),
      expired: await captured(),
      erased: await captured(),
      deleted: await captured(),
      failed: await captured(),
      queued: await submitted(),
    };
    await set(ids.expired, `expires_at = now() - interval '1 s'`);
    await set(ids.failed, `status = 'failed', result_key = NULL`);
    await owner.send('DELETE', `/v1/captures/${ids.erased}`);
    await owner.send('DELETE', `/v1/captures/${ids.deleted}?record=true`);
    const details: Record<keyof typeof ids, RegExp> = {
      gone: /is not a capture of this account: give the id of a succeeded one, or previous/,
      foreign: /is not a capture of this account/,
      text: /is a capture without a picture, which the png of this one could be compared with/,
      dense: /with a device_scale_factor of 2, which must be that of this one, 1/,
      expired: /has expired: expires_in_s keeps files longer/,
      erased: /was deleted/,
      deleted: /deleted|not a capture of this account/,
      failed: /it failed/,
      queued: /has not finished/,
    };
    for (const [name, detail] of Object.entries(details)) {
      const id = ids[name as keyof typeof ids];
      expect([name, await faultsOf({ compare_with: id })]).toEqual([
        name,
        [{ pointer: '/compare_with', code: 'not_comparable', detail: expect.stringMatching(detail) }],
      ]);
    }
    const answer = await json(owner.capture({ ...PAGE, compare_with: ids.gone }));
    expect(answer).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer: '/compare_with' }],
    });
  });

  it('is refused for formats that cannot be compared, and for options that have no meaning for a text', async () => {
    expect(await faultsOf({ format: 'pdf', compare_with: 'previous' })).toMatchObject([
      { pointer: '/compare_with', code: 'not_for_format', detail: expect.stringContaining('png') },
    ]);
    expect(
      await faultsOf({ format: 'text', compare_with: 'previous', compare_threshold: 0.5 }),
    ).toMatchObject([{ pointer: '/compare_threshold', code: 'not_for_format' }]);
    const outputs = [{ name: 'paper', format: 'pdf' }, { name: 'picture' }];
    expect((await owner.submit({ ...PAGE, outputs, compare_with: 'previous' })).status).toBe(202);
  });

  it('is checked in each row of a batch', async () => {
    const one = await api.client({ concurrency: 5 });
    const earlier = await captured({}, one);
    const rows = [{ ...PAGE, compare_with: earlier }, PAGE, { ...PAGE, compare_with: newId() }, PAGE];
    const body = { items: rows, on_invalid: 'reject' };
    const headers = { 'content-type': 'application/json' };
    const send = (more: Json): Promise<Json> =>
      json(one.send('POST', '/v1/bulk/json', { headers, body: JSON.stringify({ ...body, ...more }) }));
    expect(await send({})).toMatchObject({
      status: 400,
      errors: [{ pointer: '/items/2/compare_with', row: 3, column: 'compare_with', code: 'not_comparable' }],
    });
    expect(await send({ on_invalid: 'skip' })).toMatchObject({ total: 4, rejected: 1 });
    const csv = `url,compare_with\n${PAGE.url},\n${PAGE.url},${newId()}\n`;
    const refused = await json(
      one.send('POST', '/v1/bulk/csv', { headers: { 'content-type': 'text/csv' }, body: csv }),
    );
    expect(refused).toMatchObject({
      code: 'invalid_csv',
      errors: [{ row: 2, line: 3, column: 'compare_with' }],
    });
  });

  it('has a key that captures with the same options share, also rows of a batch', async () => {
    const one = await api.client();
    await submitted({ format: 'jpeg', full_page: true }, one);
    await submitted(
      { full_page: true, format: 'jpeg', reference: 'r', url: 'https://EXAMPLE.com/page' },
      one,
    );
    await submitted({ format: 'jpeg' }, one);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ defaults: { format: 'jpeg' }, items: [{ ...PAGE, full_page: true }] });
    await one.send('POST', '/v1/bulk/json', { headers, body });
    const { rows } = await api.database.query<{ capture_key: Buffer }>(
      `SELECT capture_key FROM jobs WHERE account_id = $1 ORDER BY id`,
      [one.accountId],
    );
    const keys = rows.map(({ capture_key }) => capture_key.toString('hex'));
    expect(keys.every((key) => key.length === 64)).toBe(true);
    expect([keys[1], keys[3]]).toEqual([keys[0], keys[0]]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('has no key once it is deleted', async () => {
    const one = await api.client();
    const id = await captured({}, one);
    await one.send('DELETE', `/v1/captures/${id}`);
    const { rows } = await api.database.query(
      `SELECT capture_key, text_hash, change FROM jobs WHERE id = $1`,
      [id],
    );
    expect(rows).toEqual([{ capture_key: null, text_hash: null, change: null }]);
  });
});
