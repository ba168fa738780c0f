import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, newId } from '@app/kernel';
import { startApi, type Claimed, type TestApi } from '../../../../test/support/api.js';
import { insertBatch } from '../../../../test/support/batch-rows.js';
import { json, type Client, type Json, statusAndCode } from '../../../../test/support/client.js';

type Owner = Client & { readonly accountId: string };

/** Any row that contains it after a deletion contains personal data. */
const MARK = 'anna-0815';
const PAGE = { url: `https://${MARK}.example.com/${MARK}?q=${MARK}`, reference: MARK, js: `"${MARK}"` };
const HOOK = 'https://hooks.example.com/capture';

describe('DELETE /v1/captures/{id}', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(() => api.close());

  const submitted = async (owner: Owner, more: Json = {}, key: string = newId()): Promise<string> => {
    const headers = { 'idempotency-key': key, 'x-request-id': MARK };
    const id = String((await json(owner.submit({ ...PAGE, ...more }, headers))).id);
    // As the caller's tracestate is kept where traces are recorded.
    await api.database.query(`UPDATE jobs SET trace_context = '${MARK}' WHERE id = $1`, [id]);
    return id;
  };
  const remove = (owner: Client, id: string, query = '') =>
    owner.send('DELETE', `/v1/captures/${id}${query}`);
  const fileOf = async (id: string): Promise<boolean> =>
    api.storage.read(`captures/${id}/1.png`).then(
      () => true,
      () => false,
    );

  /** Tables with a row that contains the mark. */
  const marked = async (): Promise<string[]> => {
    const { rows } = await api.database.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { name } of rows) {
      const { rowCount } = await api.database.query(
        `SELECT FROM ${name} AS entry WHERE entry::text LIKE '%${MARK}%' LIMIT 1`,
      );
      if (rowCount !== 0) found.push(name);
    }
    return found;
  };
  const quoting = (error: AppError['code']): AppError =>
    new AppError(error, {
      detail: `${MARK} failed`,
      netError: MARK,
      errors: [{ pointer: '/url', code: MARK, detail: MARK }],
    });

  const ENDS: [string, ((capture: Claimed) => Promise<void>) | null, Json][] = [
    ['succeeded', (capture) => capture.succeed(), { billable: true, bytes: 9, http_status: 200 }],
    [
      'failed',
      (capture) => capture.fail(quoting('target_http_error')),
      { billable: false, error: { code: 'target_http_error', detail: expect.not.stringContaining(MARK) } },
    ],
    ['running', async () => undefined, { status: 'canceled', cancel_reason: 'client_request' }],
    ['queued', null, { status: 'canceled', cancel_reason: 'client_request' }],
  ];

  it.each(ENDS)(
    'removes the personal data of a capture that is %s from every table',
    async (name, end, kept) => {
      const owner = await api.client();
      const key = `key-${name}`;
      const id = await submitted(owner, { webhook_url: HOOK }, key);
      if (end) await end(await api.claim(owner));
      expect(await marked()).toContain('public.jobs');
      const { used } = await json(owner.get('/v1/usage'));

      const answer = await remove(owner, id);
      expect(answer.status).toBe(200);
      const record = await json(answer);
      expect(record).toMatchObject({
        id,
        ...(name !== 'running' && name !== 'queued' && { status: name }),
        reference: null,
        url: null,
        final_url: null,
        title: null,
        sha256: null,
        options: {},
        result_url: null,
        deleted_at: expect.any(String),
        ...kept,
      });
      expect(await marked()).toEqual([]);
      expect(await fileOf(id)).toBe(false);
      expect(await json(remove(owner, id))).toEqual(record);
      expect(await json(owner.get(`/v1/captures/${id}`))).toEqual(record);
      expect(await json(owner.get(`/v1/jobs/${id}`))).toEqual({
        ...record,
        phase: null,
        queue_position: null,
        webhook: null,
      });
      for (const path of ['captures', 'jobs']) {
        expect(await statusAndCode(owner.get(`/v1/${path}/${id}/result`))).toEqual([410, 'result_expired']);
      }
      const again = owner.submit({ ...PAGE, webhook_url: HOOK }, { 'idempotency-key': key });
      expect(await statusAndCode(again)).toEqual([410, 'result_expired']);
      expect((await json(owner.get('/v1/usage'))).used).toBe(record.billable === true ? used : 0);
    },
  );

  it('reduces the payload of a pending webhook to the record that is kept', async () => {
    const owner = await api.client();
    const id = await submitted(owner, { webhook_url: HOOK });
    await (await api.claim(owner)).succeed();
    const record = await json(remove(owner, id));
    const waiting = await submitted(owner, { webhook_url: HOOK });
    const canceled = await json(remove(owner, waiting));
    const { rows } = await api.database.query<{ body: string; state: string }>(
      `SELECT body, state FROM webhook_deliveries WHERE subject_id = ANY($1) ORDER BY id`,
      [[id, waiting]],
    );
    expect(rows.map(({ body, state }) => [state, JSON.parse(body) as Json])).toEqual([
      ['pending', { type: 'capture.succeeded', timestamp: expect.any(String), data: record }],
      ['pending', { type: 'capture.canceled', timestamp: expect.any(String), data: canceled }],
    ]);
  });

  it('responds to the waiting caller of a capture that is deleted in the meantime', async () => {
    const owner = await api.client();
    const waiting = owner.capture(PAGE);
    const { id } = await api.claim(owner);
    await remove(owner, id);
    expect(await statusAndCode(waiting)).toEqual([410, 'result_expired']);

    const job = await submitted(owner);
    const watching = owner.get(`/v1/jobs/${job}?wait=30`);
    await api.claim(owner);
    await remove(owner, job, '?record=true');
    expect(await statusAndCode(watching)).toEqual([404, 'not_found']);
  });

  it('deletes all files of a capture with several outputs, also those of attempts that lost their worker', async () => {
    const owner = await api.client();
    const outputs = [{ name: 'a' }, { name: 'b', format: 'pdf' }, { name: 'c', format: 'text' }];
    const id = await submitted(owner, { outputs });
    await (await api.claim(owner)).succeed();
    await api.database.query('UPDATE jobs SET attempt = 2 WHERE id = $1', [id]);
    const ends = ['1.png', '1n2.pdf', '1n3.txt', '2.png', '2n2.pdf', '2n3.txt'];
    const keys = ends.map((end) => `captures/${id}/${end}`);
    for (const key of keys) await api.storage.put(key, Buffer.from('a file'));
    expect((await remove(owner, id)).status).toBe(200);
    const left = await Promise.allSettled(keys.map((key) => api.storage.read(key)));
    expect(left.map(({ status }) => status)).toEqual(keys.map(() => 'rejected'));
    expect(await marked()).toEqual([]);
  });

  it('discards a late result of a worker', async () => {
    const owner = await api.client();
    const id = await submitted(owner);
    const capture = await api.claim(owner);
    await remove(owner, id);
    await capture.succeed();
    expect(await json(owner.get(`/v1/captures/${id}`))).toMatchObject({
      status: 'canceled',
      billable: false,
    });
    expect(await statusAndCode(owner.get(`/v1/captures/${id}/result`))).toEqual([410, 'result_expired']);
  });

  it('also hides the record with record=true, and still counts the capture', async () => {
    const owner = await api.client();
    const [id, other] = [await submitted(owner), await submitted(owner)];
    await (await api.claim(owner)).succeed();
    const {
      from: _from,
      to: _to,
      counted_until: _until,
      ...stats
    } = await json(owner.get('/v1/captures/stats'));
    for (let i = 0; i < 2; i++) {
      const answer = await remove(owner, id, '?record=true');
      expect([answer.status, await answer.text()]).toEqual([204, '']);
    }
    for (const path of ['captures', 'jobs']) {
      for (const more of ['', '/result']) {
        expect(await statusAndCode(owner.get(`/v1/${path}/${id}${more}`))).toEqual([404, 'not_found']);
      }
      expect(await statusAndCode(owner.send('DELETE', `/v1/${path}/${id}`))).toEqual([404, 'not_found']);
    }
    expect(await statusAndCode(owner.get(`/v1/jobs/${id}/events`))).toEqual([404, 'not_found']);
    expect((await json(owner.get('/v1/captures'))).items).toMatchObject([{ id: other }]);
    expect(await json(owner.get('/v1/captures/stats'))).toMatchObject(stats);
    expect((await json(owner.get('/v1/usage'))).used).toBe(2);
    expect(await fileOf(id)).toBe(false);
    await remove(owner, other);
  });

  it('keeps the counts of the batch of a deleted row', async () => {
    const owner = await api.client({ concurrency: 20 });
    const { id: batch } = await insertBatch(api.database, {
      accountId: owner.accountId,
      rows: 4,
      rejected: 0,
    });
    for (let i = 0; i < 2; i++) await (await api.claim(owner)).succeed();
    await (await api.claim(owner)).fail(quoting('target_http_error'));
    const { items } = await json(owner.get(`/v1/bulk/${batch}/results`));
    const ids = (items as Json[]).map(({ id }) => String(id));
    await remove(owner, ids[0] ?? '');
    await remove(owner, ids[1] ?? '', '?record=true');
    await remove(owner, ids[2] ?? '');
    await remove(owner, ids[3] ?? '');
    expect(await json(owner.get(`/v1/bulk/${batch}`))).toMatchObject({
      status: 'completed',
      total: 4,
      counts: { queued: 0, running: 0, succeeded: 2, failed: 1, canceled: 1 },
    });
    expect((await json(owner.get(`/v1/bulk/${batch}/results`))).items).toMatchObject([
      { row: 1, url: null, options: {} },
      { row: 3, error: { code: 'target_http_error' } },
      { row: 4, status: 'canceled' },
    ]);
    const lines = (await (await owner.get(`/v1/bulk/${batch}/download`)).text()).split('\r\n');
    expect(lines[1]).toMatch(/^1,,,,succeeded,200,,,1,png,1280,800,9,,,3,187,,/);
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual(['1', '3', '4']);
    // A row without its options cannot be run again.
    expect(await statusAndCode(owner.post('/v1/bulk/json', { retry_failed_of: batch }))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('erases the record during an outage of the storage, and deletes the file at the next request', async () => {
    const owner = await api.client();
    const id = await submitted(owner);
    await (await api.claim(owner)).succeed();
    const { delete: works } = api.storage;
    api.storage.delete = () => Promise.reject(new AppError('storage_unavailable'));
    try {
      expect(await statusAndCode(remove(owner, id))).toEqual([503, 'storage_unavailable']);
    } finally {
      api.storage.delete = works;
    }
    expect(await marked()).toEqual([]);
    expect(await json(owner.get(`/v1/captures/${id}`))).toMatchObject({ url: null, result_url: null });
    expect(await statusAndCode(owner.get(`/v1/captures/${id}/result`))).toEqual([410, 'result_expired']);
    const { rows } = await api.database.query(
      `SELECT FROM jobs WHERE id = $1 AND result_key IS NOT NULL AND expires_at <= now()`,
      [id],
    );
    expect(rows).toHaveLength(1);
    expect((await remove(owner, id)).status).toBe(200);
    expect(await fileOf(id)).toBe(false);
  });

  it("responds with 404 to another account's capture and to an unknown one", async () => {
    const [owner, other] = [await api.client(), await api.client()];
    const id = await submitted(owner);
    for (const query of ['', '?record=true']) {
      expect(await statusAndCode(remove(other, id, query))).toEqual([404, 'not_found']);
      expect(await statusAndCode(remove(owner, newId(), query))).toEqual([404, 'not_found']);
      expect(await statusAndCode(remove(owner, 'no-id', query))).toEqual([404, 'not_found']);
    }
    expect(await statusAndCode(remove(owner, id, '?record=yes'))).toEqual([400, 'invalid_request']);
    expect(await statusAndCode(remove(owner, id, '?recrod=true'))).toEqual([400, 'invalid_request']);
    expect((await owner.send('POST', `/v1/captures/${id}`)).headers.get('allow')).toBe('DELETE, GET, HEAD');
    await remove(owner, id, '?record=true');
  });
});
