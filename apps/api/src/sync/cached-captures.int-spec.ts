import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { secondsFrom } from '../../../../test/support/seconds-from.js';

type Owner = Client & { readonly accountId: string };

/** Identical captures are one visit; the test makes the visits in the place of a worker. */
describe('POST /v1/capture with the cache', () => {
  let api: TestApi;
  let other: TestApi;
  let client: Owner;
  let pages = 0;
  let page: Json;

  beforeAll(async () => {
    api = await startApi();
    other = await startApi({}, api);
  });

  afterAll(async () => {
    await other.close();
    await api.close();
  });

  beforeEach(async () => {
    client = await api.client();
    page = { url: `https://example.com/${++pages}`, cache_ttl_s: 60 };
  });

  const headersOf = ({ headers }: Response): Json => ({
    cache: headers.get('x-cache'),
    age: headers.get('age'),
    control: headers.get('cache-control'),
    id: headers.get('x-capture-id'),
    billable: headers.get('x-capture-billable'),
  });
  const used = async (owner: Owner = client) => (await json(owner.get('/v1/usage'))).used;
  const jobs = async (): Promise<number> => {
    const { rows } = await api.database.query<{ jobs: number }>(
      `SELECT count(*)::int AS jobs FROM jobs WHERE account_id = $1`,
      [client.accountId],
    );
    return rows[0]?.jobs ?? 0;
  };

  /** Makes a capture that the cache keeps; returns its id. */
  async function keep(options: Json = page, bytes = 'first'): Promise<string> {
    const answer = client.capture(options);
    const { id, succeed } = await api.claim(client);
    await succeed(Buffer.from(bytes));
    expect((await answer).headers.get('x-capture-id')).toBe(id);
    return id;
  }

  /** Makes the captures of this account older, and this process forget them. */
  async function age(seconds: number): Promise<void> {
    await api.database.query(
      `UPDATE cache_entries SET captured_at = captured_at - $2 * interval '1 s' WHERE account_id = $1`,
      [client.accountId, seconds],
    );
  }

  /** Sends a request to the other process, and waits until that has asked who leads. */
  async function follow(): Promise<{ readonly answer: Promise<Response> }> {
    const before = await askedAt();
    const answer = client.forApps(other).capture(page);
    await eventually('the follower has asked the cache', async () => (await askedAt()) !== before);
    return { answer };
  }

  /** Changes whenever a process asks for a leader. */
  async function askedAt(): Promise<number | undefined> {
    const { rows } = await api.database.query<{ kept_until: Date }>(
      `SELECT kept_until FROM cache_entries WHERE account_id = $1 ORDER BY kept_until DESC LIMIT 1`,
      [client.accountId],
    );
    return rows[0]?.kept_until.getTime();
  }

  it('answers a capture that is kept, without a visit, a record and a charge', async () => {
    const answer = client.capture(page);
    const { id, succeed } = await api.claim(client);
    await succeed(Buffer.from('first'));
    const control = 'private, max-age=60, stale-while-revalidate=0';
    expect(headersOf(await answer)).toEqual({ cache: 'MISS', age: '0', control, id, billable: 'true' });
    const hit = await client.capture({ ...page, filename: 'mine', format: 'png' });
    expect(headersOf(hit)).toEqual({ cache: 'HIT', age: secondsFrom(0), control, id, billable: 'false' });
    expect(hit.headers.get('content-disposition')).toBe('inline; filename=mine.png');
    expect(await hit.text()).toBe('first');
    expect([await used(), await jobs()]).toEqual([1, 1]);
  });

  it('answers with the record as the request sees it', async () => {
    const id = await keep({ ...page, reference: 'first' });
    const record = await client.record({ ...page, reference: 'second' });
    expect(record).toMatchObject({ id, reference: 'second', billable: false });
    expect(record.cache).toMatchObject({
      status: 'hit',
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      age_s: 0,
    });
    expect(await json(client.get(`/v1/captures/${id}`))).toMatchObject({
      reference: 'first',
      billable: true,
      cache: { status: 'miss', age_s: 0 },
    });
  });

  it('is not asked without cache_ttl_s, for other accounts and for other keys', async () => {
    await keep();
    const stranger = await api.client();
    const { cache_ttl_s: _, ...plain } = page;
    for (const [owner, options, cache] of [
      [client, plain, 'BYPASS'],
      [stranger, page, 'MISS'],
      [client, { ...page, cache_key: 'v2' }, 'MISS'],
      [client, { ...page, force: true }, 'BYPASS'],
    ] as const) {
      const answer = owner.capture(options);
      await (await api.claim(owner)).succeed();
      expect((await answer).headers.get('x-cache')).toBe(cache);
    }
  });

  it('judges the age by the request, and renews with force', async () => {
    const id = await keep({ ...page, cache_ttl_s: 1_000 });
    await age(100);
    const onOther = client.forApps(other);
    const hit = await onOther.capture({ ...page, cache_ttl_s: 200 });
    expect(headersOf(hit)).toMatchObject({ cache: 'HIT', age: secondsFrom(100), id });
    const renewed = await keep({ ...page, cache_ttl_s: 200, force: true }, 'second');
    const again = await client.capture({ ...page, cache_ttl_s: 1_000 });
    expect(headersOf(again)).toMatchObject({ cache: 'HIT', id: renewed });
  });

  it('answers with a stale capture at once, and makes a new one in the background', async () => {
    const options = { ...page, stale_ttl_s: 600 };
    const id = await keep(options);
    await age(100);
    const onOther = client.forApps(other);
    const stale = await onOther.capture(options);
    expect(headersOf(stale)).toMatchObject({
      cache: 'STALE',
      age: secondsFrom(100),
      id,
      control: 'private, max-age=60, stale-while-revalidate=600',
    });
    const renewal = await api.claim(client);
    expect((await onOther.capture(options)).headers.get('x-cache')).toBe('STALE');
    await renewal.succeed(Buffer.from('second'));
    await eventually('the new capture answers', async () => {
      const response = await onOther.capture(options);
      return response.headers.get('x-cache') === 'HIT' && (await response.text()) === 'second';
    });
    expect([await used(), await jobs()]).toEqual([2, 2]);
  });

  it('makes one visit for many identical requests, in all processes', async () => {
    const answers = Array.from({ length: 100 }, (_, i) => client.forApps(i % 2 ? api : other).capture(page));
    const { id, succeed } = await api.claim(client);
    await succeed(Buffer.from('one'));
    const responses = await Promise.all(answers);
    expect(
      new Set(responses.map(({ status, headers }) => `${status} ${headers.get('x-capture-id')}`)),
    ).toEqual(new Set([`200 ${id}`]));
    const statuses = responses.map(({ headers }) => headers.get('x-cache'));
    expect(statuses.filter((status) => status === 'MISS')).toHaveLength(1);
    for (const status of statuses) expect(['MISS', 'COALESCED', 'HIT']).toContain(status);
    expect([await used(), await jobs()]).toEqual([1, 1]);
  });

  it('does not cancel a visit that others wait for, and cancels it when the last has left', async () => {
    const callers = [new AbortController(), new AbortController(), new AbortController()];
    const answers = callers.map(({ signal }) =>
      client.capture(page, { signal }).catch((error: unknown) => error),
    );
    const first = await api.claim(client);
    callers[0]?.abort();
    callers[1]?.abort();
    await Promise.all(answers.slice(0, 2));
    await first.succeed(Buffer.from('for the third'));
    expect(await ((await answers[2]) as Response).text()).toBe('for the third');

    page = { ...page, cache_key: 'canceled' };
    const alone = [new AbortController(), new AbortController()];
    const gone = alone.map(({ signal }) => client.capture(page, { signal }).catch((error: unknown) => error));
    const { id } = await api.claim(client);
    for (const caller of alone) caller.abort();
    await Promise.all(gone);
    await eventually('the visit is canceled', async () => {
      return (await json(client.get(`/v1/jobs/${id}`))).status === 'canceled';
    });
  });

  it('makes a follower elsewhere the next leader when the visit is canceled', async () => {
    const leader = new AbortController();
    const left = client.capture(page, { signal: leader.signal }).catch((error: unknown) => error);
    const first = await api.claim(client);
    const { answer: follower } = await follow();
    leader.abort();
    await left;
    const second = await api.claim(client);
    expect(second.id).not.toBe(first.id);
    await second.succeed(Buffer.from('second'));
    expect(await (await follower).text()).toBe('second');
    expect(await used()).toBe(1);
  });

  it('tells a follower that the allowance has ended when it would have to lead', async () => {
    const leader = client.capture(page);
    const lost = await api.claim(client);
    const { answer: follower } = await follow();
    await api.database.query(`UPDATE accounts SET allowance = 0 WHERE id = $1`, [client.accountId]);
    await api.database.query(`UPDATE jobs SET failures = 2 WHERE id = $1`, [lost.id]);
    await lost.fail(new AppError('browser_crashed'));
    expect(await statusAndCode(leader)).toEqual([500, 'browser_crashed']);
    expect(await statusAndCode(follower)).toEqual([402, 'allowance_exhausted']);
    expect([await used(), await jobs()]).toEqual([0, 1]);
  });

  it('answers all with a permanent failure, and lets a follower try again after a passing one', async () => {
    const leader = client.capture(page);
    const refused = await api.claim(client);
    const { answer: follower } = await follow();
    await refused.fail(new AppError('target_dns_error'));
    for (const answer of [leader, follower]) {
      expect(await statusAndCode(answer)).toEqual([422, 'target_dns_error']);
    }

    page = { ...page, cache_key: 'passing' };
    const own = [client.capture(page), client.capture(page)];
    const lost = await api.claim(client);
    const passing = [...own, (await follow()).answer];
    // The last attempt that a job has.
    await api.database.query(`UPDATE jobs SET failures = 2 WHERE id = $1`, [lost.id]);
    await lost.fail(new AppError('browser_crashed'));
    const next = await api.claim(client);
    await next.succeed(Buffer.from('second'));
    const statuses = await Promise.all(passing.map(async (answer) => (await answer).status));
    expect(statuses.sort()).toEqual([200, 200, 500]);
    expect(await used()).toBe(1);
  });

  it('replays the answer of an Idempotency-Key, whatever the cache holds by then', async () => {
    const id = await keep();
    const headers = { 'idempotency-key': 'k' };
    const hit = await client.capture(page, { headers });
    expect(headersOf(hit)).toMatchObject({ cache: 'HIT', id });
    const renewed = await keep({ ...page, force: true }, 'second');
    const replay = await client.capture(page, { headers });
    expect(headersOf(replay)).toMatchObject({ cache: 'HIT', id, billable: 'false' });
    expect([replay.headers.get('idempotency-replayed'), await replay.text()]).toEqual(['true', 'first']);
    expect(headersOf(await client.capture(page))).toMatchObject({ cache: 'HIT', id: renewed });
  });

  it('answers hits when the allowance is used up', async () => {
    client = await api.client({ allowance: 1 });
    await keep();
    expect((await client.capture(page)).headers.get('x-cache')).toBe('HIT');
    expect(await statusAndCode(client.capture({ ...page, force: true }))).toEqual([
      402,
      'allowance_exhausted',
    ]);
  });

  it('makes a new capture when the store has lost the file', async () => {
    const id = await keep();
    await api.storage.delete(`captures/${id}/1.png`);
    // Another process has neither the entry nor the file in memory.
    const answer = client.forApps(other).capture(page);
    const { succeed } = await api.claim(client);
    await succeed(Buffer.from('second'));
    expect(headersOf(await answer)).toMatchObject({ cache: 'MISS', billable: 'true' });
  });
});
