import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { readZip } from '../../../../test/support/zip-reader.js';
import { secondsFrom } from '../../../../test/support/seconds-from.js';

type Owner = Client & { readonly accountId: string };

const FIRST = Buffer.from('first');

/** What a caller sees of an answer of the cache; cached-captures.int-spec.ts has who makes the visit. */
describe('an answer of the cache', () => {
  let api: TestApi;
  let other: TestApi;
  let client: Owner;
  let pages = 0;
  let page: Json;

  beforeAll(async () => {
    api = await startApi();
    other = await startApi({ DEFAULT_OPTIONS: JSON.stringify({ cache_ttl_s: 60, stale_ttl_s: 60 }) }, api);
  });

  afterAll(async () => {
    await other.close();
    await api.close();
  });

  beforeEach(async () => {
    client = await api.client();
    page = { url: `https://example.com/answer/${++pages}`, cache_ttl_s: 60 };
  });

  const cacheOf = ({ headers }: Response): string | null => headers.get('x-cache');

  /** Makes a capture that the cache keeps; returns its id and the tag of its file. */
  async function keep(options: Json = page, by: Client = client): Promise<{ id: string; etag: string }> {
    const answer = by.capture(options);
    const { id, succeed } = await api.claim(client);
    await succeed(FIRST);
    const response = await answer;
    expect([response.status, cacheOf(response)]).toEqual([200, options.force === true ? 'BYPASS' : 'MISS']);
    return { id, etag: response.headers.get('etag') ?? '' };
  }

  it('is 304 for a caller who has the file', async () => {
    const { id, etag } = await keep();
    const known = await client.capture(page, { headers: { 'if-none-match': etag } });
    expect([known.status, cacheOf(known), await known.text()]).toEqual([304, 'HIT', '']);
    expect(Object.fromEntries(known.headers)).toMatchObject({
      etag,
      age: secondsFrom(0),
      'cache-control': 'private, max-age=60, stale-while-revalidate=0',
      'x-capture-id': id,
    });
    const changed = await client.capture(page, { headers: { 'if-none-match': '"other"' } });
    expect([changed.status, await changed.text()]).toEqual([200, 'first']);
  });

  it('grows older, while max-age stays what was asked for', async () => {
    await keep({ ...page, cache_ttl_s: 1_000 });
    await api.database.query(
      `UPDATE cache_entries SET captured_at = captured_at - interval '100 s' WHERE account_id = $1`,
      [client.accountId],
    );
    const later = await client.forApps(other).capture({ ...page, cache_ttl_s: 300 });
    expect([later.headers.get('age'), later.headers.get('cache-control')]).toEqual([
      secondsFrom(100),
      'private, max-age=300, stale-while-revalidate=60',
    ]);
  });

  it('is the record, or all files, whatever the capture was made for', async () => {
    const { id } = await keep({ ...page, reference: 'first', response: 'file' });
    const cache = { status: 'hit', key: expect.any(String), age_s: expect.any(Number) };
    const own = { id, billable: false, reference: null, cache };
    expect(await client.record(page)).toMatchObject(own);
    const accepted = await client.capture(page, { headers: { accept: 'application/json' } });
    expect([cacheOf(accepted), await json(accepted)]).toEqual(['HIT', expect.objectContaining(own)]);
    const archive = await client.capture({ ...page, response: 'zip' });
    expect([cacheOf(archive), archive.headers.get('content-type')]).toEqual(['HIT', 'application/zip']);
    const files = readZip(Buffer.from(await archive.arrayBuffer()));
    expect(files.find(({ path }) => path.startsWith('result'))?.bytes).toEqual(FIRST);
    const record = files.find(({ path }) => path === 'record.json')?.bytes.toString() ?? '';
    expect(JSON.parse(record)).toMatchObject(own);
  });

  it('has all files of several outputs', async () => {
    const options = { ...page, outputs: [{ name: 'a' }, { name: 'b', format: 'text' }] };
    const answer = client.capture(options);
    const { succeed } = await api.claim(client);
    await succeed([
      { name: 'a', format: 'png', bytes: Buffer.from('of a') },
      { name: 'b', format: 'text', bytes: Buffer.from('of b') },
    ]);
    expect((await answer).status).toBe(200);
    const hit = await client.capture(options);
    expect(cacheOf(hit)).toBe('HIT');
    const { files } = (await json(hit)) as { files: readonly { name: string; url: string }[] };
    const texts = await Promise.all(files.map(async ({ url }) => (await client.get(url)).text()));
    expect(texts).toEqual(['of a', 'of b']);
  });

  it('is kept for HTML, too', async () => {
    const html = { html: `<p>${++pages}</p>`, cache_ttl_s: 60 };
    await keep(html);
    expect(cacheOf(await client.capture(html))).toBe('HIT');
    const answer = client.capture({ ...html, html: `${html.html} ` });
    await (await api.claim(client)).succeed();
    expect(cacheOf(await answer)).toBe('MISS');
  });

  it('is a failure that nothing keeps', async () => {
    for (const code of ['target_dns_error', 'target_dns_error'] as const) {
      const answer = client.capture(page);
      await (await api.claim(client)).fail(new AppError(code));
      const failed = await answer;
      expect([failed.status, cacheOf(failed), failed.headers.get('cache-control')]).toEqual([
        422,
        'MISS',
        'no-store',
      ]);
      expect(failed.headers.get('age')).toBeNull();
    }
  });

  it('waits no longer than Prefer: wait for the visit of another caller, whose job it names', async () => {
    const leader = client.capture(page);
    const { id, succeed } = await api.claim(client);
    const follower = await client.forApps(other).capture(page, { headers: { prefer: 'wait=1' } });
    expect([follower.status, cacheOf(follower)]).toEqual([202, 'COALESCED']);
    expect(follower.headers.get('location')).toBe(`/v1/jobs/${id}`);
    expect(await json(follower)).toMatchObject({ id, status: 'running' });
    await succeed(FIRST);
    expect(cacheOf(await leader)).toBe('MISS');
    expect(await json(client.get(`/v1/jobs/${id}`))).toMatchObject({ status: 'succeeded' });
  });

  it('goes on for a caller who knows where to find it, although the others have left', async () => {
    const controller = new AbortController();
    const leader = client.capture(page, { signal: controller.signal }).catch((error: unknown) => error);
    const { id, succeed } = await api.claim(client);
    const follower = await client.capture(page, { headers: { prefer: 'wait=1' } });
    expect(follower.status).toBe(202);
    controller.abort();
    await leader;
    await succeed(FIRST);
    expect(await json(client.get(`/v1/jobs/${id}?wait=10`))).toMatchObject({ status: 'succeeded' });
  });

  it('is repeated for an Idempotency-Key that followed another caller, and 422 with another age', async () => {
    const headers = { 'idempotency-key': 'follower' };
    const leader = client.capture(page);
    const { id, succeed } = await api.claim(client);
    const follower = client.capture(page, { headers });
    await eventually('the follower has its key', async () => {
      const keys = 'SELECT 1 FROM idempotency_keys WHERE account_id = $1';
      return (await api.database.query(keys, [client.accountId])).rows.length > 0;
    });
    const inFlight = client.forApps(other).capture(page, { headers: { ...headers, prefer: 'wait=1' } });
    await inFlight;
    await succeed(FIRST);
    expect([cacheOf(await leader), cacheOf(await follower)]).toEqual(['MISS', 'COALESCED']);
    await keep({ ...page, force: true });
    const replay = await client.forApps(other).capture(page, { headers });
    expect([cacheOf(replay), replay.headers.get('x-capture-id')]).toEqual(['COALESCED', id]);
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    const older = client.capture({ ...page, cache_ttl_s: 61 }, { headers });
    expect(await statusAndCode(older)).toEqual([422, 'idempotency_mismatch']);
  });

  it('comes by the default of the operator, except for captures with secrets', async () => {
    const { url } = page;
    const onOther = client.forApps(other);
    await keep({ url }, onOther);
    expect(cacheOf(await onOther.capture({ url }))).toBe('HIT');
    for (const own of [{ headers: { 'X-Preview': 'yes' } }, { cache_ttl_s: 0 }]) {
      const answer = onOther.capture({ url, ...own });
      await (await api.claim(client)).succeed();
      const response = await answer;
      expect([cacheOf(response), response.headers.get('cache-control')]).toEqual([
        'BYPASS',
        'private, no-cache',
      ]);
    }
  });
});
