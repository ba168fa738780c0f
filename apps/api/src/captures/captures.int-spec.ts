import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AppError, newId, SystemClock } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client } from '../../../../test/support/client.js';

const BYTES = Buffer.from('0123456789');

describe('the history of captures', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  let done: string;
  let queued: string;
  let failed: string;
  let canceled: string;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
    let keys = 0;
    const submit = async (more: object = {}) => {
      const answer = client.capture(
        { url: 'https://example.com', ...more },
        { headers: { prefer: 'wait=120', 'idempotency-key': `key ${++keys}` } },
      );
      const capture = await api.claim();
      return { ...capture, answer };
    };
    const first = await submit({ reference: 'first' });
    await first.succeed(BYTES);
    done = first.id;
    const second = await submit();
    await second.fail(new AppError('capture_timeout', { phase: 'navigate' }), {
      kind: 'bot_wall',
      evidence: ['title: Just a moment...'],
    });
    failed = second.id;
    await Promise.all([first.answer, second.answer]);
    const third = await json(client.capture({ html: 'x' }, { headers: { prefer: 'wait=1' } }));
    queued = String(third.id);
    const fourth = await json(
      client.capture({ html: 'x', format: 'pdf' }, { headers: { prefer: 'wait=1' } }),
    );
    canceled = String(fourth.id);
    await api.database.query(`UPDATE jobs SET status = 'canceled' WHERE id = $1`, [canceled]);
    await api.database.query(`UPDATE jobs SET changed = true WHERE id = $1`, [done]);
  });

  afterAll(async () => {
    await api.close();
  });

  const idsOf = async (query: string) =>
    ((await json(client.get(`/v1/captures${query}`))).items as { id: string }[]).map(({ id }) => id);

  it('is listed newest first, in pages', async () => {
    const first = await json(client.get('/v1/captures?limit=3'));
    expect((first.items as { id: string }[]).map(({ id }) => id)).toEqual([canceled, queued, failed]);
    const second = await json(client.get(`/v1/captures?limit=3&cursor=${String(first.next_cursor)}`));
    expect(second).toMatchObject({ items: [{ id: done }], next_cursor: null });
  });

  it('can be filtered', async () => {
    const now = new Date(Date.now() + 60_000).toISOString();
    expect(await idsOf('?status=succeeded')).toEqual([done]);
    expect(await idsOf('?source=job')).toEqual([]);
    expect(await idsOf('?format=pdf&source=sync')).toEqual([canceled]);
    expect(await idsOf('?host=EXAMPLE.com')).toEqual([failed, done]);
    expect(await idsOf('?host=example.com:443')).toEqual([failed, done]);
    expect(await idsOf('?host=example.com:8443')).toEqual([]);
    expect(await idsOf('?reference=first')).toEqual([done]);
    expect(await idsOf('?has_error=true')).toEqual([failed]);
    expect(await idsOf('?has_error=false&host=example.com')).toEqual([done]);
    expect(await idsOf('?verdict=bot_wall')).toEqual([failed]);
    expect(await idsOf('?verdict=page')).toEqual([done]);
    expect(await idsOf('?verdict=blank')).toEqual([]);
    expect(await idsOf('?changed=true')).toEqual([done]);
    expect(await idsOf('?changed=false')).toEqual([]);
    expect(await idsOf('?changed=true&has_error=true')).toEqual([]);
    expect(await idsOf('?search=EXAMPLE')).toEqual([failed, done]);
    expect(await idsOf('?search=xample.co&reference=first')).toEqual([done]);
    expect(await idsOf('?search=nowhere')).toEqual([]);
    expect(await idsOf('?idempotency_key=key%202')).toEqual([failed]);
    expect(await idsOf('?idempotency_key=key%202&status=succeeded')).toEqual([]);
    expect(await idsOf('?idempotency_key=key%202&search=EXAMPLE')).toEqual([failed]);
    expect(await idsOf('?idempotency_key=key%203')).toEqual([]);
    expect(await idsOf(`?batch_id=${newId()}`)).toEqual([]);
    expect(await idsOf(`?created_after=${now}`)).toEqual([]);
    expect(await idsOf(`?created_before=${now}&created_after=2026-01-01T00:00:00%2B02:00`)).toHaveLength(4);
  });

  it('is found by an Idempotency-Key while it runs, by its account, for a day', async () => {
    const caller = await api.client();
    const key = 'of a running one';
    const query = `/v1/captures?idempotency_key=${encodeURIComponent(key)}`;
    const found = async (by: Client) => (await json(by.get(query))).items;
    const answer = caller.capture({ url: 'https://example.com' }, { headers: { 'idempotency-key': key } });
    const running = await api.claim({ accountId: caller.accountId });
    expect(await found(caller)).toMatchObject([{ id: running.id, status: 'running' }]);
    expect(await found(client)).toEqual([]);
    await running.succeed(BYTES);
    expect((await answer).status).toBe(200);
    expect(await found(caller)).toMatchObject([{ id: running.id, status: 'succeeded' }]);
    await api.database.query(
      `UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = $1`,
      [key],
    );
    expect(await found(caller)).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=-1',
    'limit=101',
    'limit=1e9',
    'limit=abc',
    'cursor=abc',
    'cursor=',
    'status=done',
    'status=failed&status=queued',
    'source=api',
    'format=gif',
    'verdict=paywall',
    'verdict=',
    'verdict=page&verdict=blank',
    'changed=yes',
    'changed=',
    'has_error=1',
    'batch_id=1',
    'idempotency_key=',
    `idempotency_key=${'x'.repeat(256)}`,
    'search=',
    `search=${'x'.repeat(201)}`,
    'created_after=yesterday',
    'created_after=2026-02-31T00:00:00Z',
    'created_before=2026-02-31',
    'unknown=1',
    'status[a]=1',
  ])('refuses ?%s', async (query) => {
    const response = await client.get(`/v1/captures?${query}`);
    expect([response.status, (await json(response)).code]).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['verdict=paywall', 'must be one of page, blank, bot_wall, login_wall, error_page'],
    ['changed=yes', 'must be true or false'],
    ['has_error=1', 'must be true or false'],
    ['host=a/b', 'must be a host, with a port if needed, such as example.com:8080'],
  ])('names what is wrong with ?%s', async (query, detail) => {
    const { errors } = await json(client.get(`/v1/captures?${query}`));
    expect(errors).toMatchObject([{ pointer: `/${query.split('=')[0]}`, detail }]);
  });

  it('shows one record', async () => {
    expect(await json(client.get(`/v1/captures/${failed}`))).toMatchObject({
      id: failed,
      status: 'failed',
      billable: false,
      result_url: null,
      error: { code: 'capture_timeout', phase: 'navigate', retryable: false },
    });
    expect(Object.keys(await json(client.get(`/v1/jobs/${queued}`))).slice(-3)).toEqual([
      'queue_position',
      'phase',
      'webhook',
    ]);
  });

  it('responds with the same 404 to another account’s id, an unknown one and what is not an id', async () => {
    const other = await api.client();
    const answers = await Promise.all([
      other.get(`/v1/captures/${done}`),
      other.get(`/v1/captures/${newId()}`),
      ...['..%2F..%2Fetc%2Fpasswd', '%00', '1', "'%20OR%201=1--", done.toUpperCase(), 'x'.repeat(1_000)].map(
        (id) => client.get(`/v1/captures/${id}`),
      ),
      other.get(`/v1/captures/${done}/result`),
      other.get(`/v1/jobs/${done}`),
      other.get(`/v1/jobs/${done}/result`),
    ]);
    for (const answer of answers) {
      const { request_id: _id, ...problem } = await json(answer);
      expect(problem).toMatchObject({
        status: 404,
        code: 'not_found',
        detail: 'There is no capture with this id.',
      });
    }
  });

  describe.each(['captures', 'jobs'])('the file at /v1/%s/{id}/result', (kind) => {
    const get = (id: string, headers: Record<string, string> = {}) =>
      client.get(`/v1/${kind}/${id}/result`, headers);

    it('is sent whole', async () => {
      const response = await get(done);
      expect(response.status).toBe(200);
      expect(response.headers.get('accept-ranges')).toBe('bytes');
      expect(response.headers.get('content-disposition')).toBe('inline; filename=example.com.png');
      expect(Buffer.from(await response.arrayBuffer())).toEqual(BYTES);
    });

    it.each([
      ['bytes=0-3', '0123', 'bytes 0-3/10'],
      ['bytes=8-', '89', 'bytes 8-9/10'],
      ['bytes=-3', '789', 'bytes 7-9/10'],
      ['bytes=5-999', '56789', 'bytes 5-9/10'],
    ])('is sent in part for %s', async (range, part, contentRange) => {
      const response = await get(done, { range });
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(contentRange);
      expect(response.headers.get('content-length')).toBe(String(part.length));
      expect(await response.text()).toBe(part);
    });

    it('is refused for a range beyond its end', async () => {
      const response = await get(done, { range: 'bytes=10-' });
      expect([response.status, (await json(response)).code]).toEqual([416, 'range_not_satisfiable']);
      expect(response.headers.get('content-range')).toBe('bytes */10');
    });

    it.each(['pages=1-2', 'bytes=0-1,4-5', 'nonsense'])('is sent whole for the range %s', async (range) => {
      expect((await get(done, { range })).status).toBe(200);
    });

    it('is not sent to a caller who has it', async () => {
      const etag = (await get(done)).headers.get('etag') ?? '';
      for (const known of [etag, `"x", W/${etag}`, '*']) {
        const response = await get(done, { 'if-none-match': known });
        expect([response.status, await response.text()]).toEqual([304, '']);
      }
      expect((await get(done, { 'if-none-match': '"x"' })).status).toBe(200);
      expect((await get(done, { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
      expect((await get(done, { range: 'bytes=0-1', 'if-range': '"x"' })).status).toBe(200);
    });

    it('is described by HEAD', async () => {
      const response = await client.send('HEAD', `/v1/${kind}/${done}/result`);
      expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
        200,
        '10',
        '',
      ]);
    });

    it.each([4, 0])('aborts when the storage has only %i bytes of it', async (length) => {
      const key = `captures/${done}/1.png`;
      await api.storage.put(key, BYTES.subarray(0, length));
      await expect(get(done).then((response) => response.arrayBuffer())).rejects.toThrow();
      await api.storage.put(key, BYTES);
      expect(Buffer.from(await (await get(done)).arrayBuffer())).toEqual(BYTES);
    });

    it('is an error that says why there is no file', async () => {
      const early = await get(queued);
      expect([early.status, (await json(early)).code]).toEqual([409, 'job_not_finished']);
      expect(early.headers.get('retry-after')).toBe('1');
      expect(await json(get(canceled))).toMatchObject({ status: 409, code: 'job_canceled' });
      expect(await json(get(failed))).toMatchObject({
        status: 504,
        code: 'capture_timeout',
        phase: 'navigate',
      });
    });
  });

  it('keeps the record of an expired file', async () => {
    const other = await api.client();
    const answer = other.capture({ url: 'https://example.com' });
    const { id, succeed } = await api.claim(other);
    await succeed();
    await answer;
    await api.database.query(`UPDATE jobs SET expires_at = now() - interval '1 s' WHERE id = $1`, [id]);
    expect(await json(other.get(`/v1/captures/${id}/result`))).toMatchObject({
      status: 410,
      code: 'result_expired',
    });
    expect(await json(other.get(`/v1/captures/${id}`))).toMatchObject({ status: 'succeeded' });
  });

  it('expires a file by the clock of the database, not of the process', async () => {
    const other = await api.client();
    const answer = other.capture({ url: 'https://example.com' });
    const { id, succeed } = await api.claim(other);
    await succeed();
    await answer;
    await api.database.query(`UPDATE jobs SET expires_at = now() + interval '5 min' WHERE id = $1`, [id]);
    const ahead = Date.now() + 10 * 60_000;
    const clock = jest.spyOn(SystemClock.prototype, 'now').mockImplementation(() => new Date(ahead));
    expect((await other.get(`/v1/captures/${id}/result`)).status).toBe(200);
    clock.mockRestore();
  });

  it('responds with result_expired when the file was removed from the storage', async () => {
    const other = await api.client();
    const answer = other.capture({ url: 'https://example.com' });
    const { id, succeed } = await api.claim(other);
    await succeed();
    await answer;
    await api.storage.delete(`captures/${id}/1.png`);
    expect(await json(other.get(`/v1/captures/${id}/result`))).toMatchObject({ code: 'result_expired' });
  });

  describe('its statistics', () => {
    it('count every capture, in buckets without gaps', async () => {
      const other = await api.client();
      const answer = other.capture({ url: 'https://example.com' });
      await (await api.claim(other)).succeed(BYTES);
      await answer;
      const stats = await json(other.get('/v1/captures/stats'));
      const counts = {
        total: 1,
        bytes: 10,
        status: { queued: 0, running: 0, succeeded: 1, failed: 0, canceled: 0 },
        source: { sync: 1, job: 0, batch: 0 },
        format: { png: 1 },
        error_code: {},
        charged: { sync: 1, job: 0, batch: 0 },
      };
      const series = stats.series as { start: string }[];
      expect(stats).toEqual({
        from: expect.any(String),
        to: expect.any(String),
        counted_until: stats.to,
        bucket: 'day',
        ...counts,
        queue_ms: { p50: 3, p95: 3, p99: 3 },
        total_ms: { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) },
        series: expect.any(Array),
      });
      expect(series).toHaveLength(31);
      expect(series.at(-1)).toEqual({ start: expect.stringMatching(/T00:00:00\.000Z$/), ...counts });
      expect(series[0]).toMatchObject({ total: 0, format: {} });
    });

    it('can have buckets of hours, within the range', async () => {
      const query = 'from=2026-03-01T10:30:00Z&to=2026-03-01T12:30:00Z&bucket=hour';
      const { series } = await json(client.get(`/v1/captures/stats?${query}`));
      expect((series as { start: string }[]).map(({ start }) => start)).toEqual([
        '2026-03-01T10:00:00.000Z',
        '2026-03-01T11:00:00.000Z',
        '2026-03-01T12:00:00.000Z',
      ]);
    });

    it.each([
      'bucket=week',
      'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
      'from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z&bucket=hour',
      'from=2020-01-01T00:00:00Z',
      'from=now',
    ])('refuse ?%s', async (query) => {
      const response = await client.get(`/v1/captures/stats?${query}`);
      expect([response.status, (await json(response)).code]).toEqual([400, 'invalid_request']);
    });
  });
});
