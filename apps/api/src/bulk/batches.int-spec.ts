import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { insertBatch } from '../../../../test/support/batch-rows.js';
import { json, type Client, type Json, statusAndCode } from '../../../../test/support/client.js';
import { allEventsOf, eventsOf, type ReceivedEvent } from '../../../../test/support/event-source.js';

type Owner = Client & { readonly accountId: string };

describe('the routes of a batch', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(async () => {
    await api.close();
  });

  /** A batch of a new account. */
  const batchOf = async (rows: number, rejected = 0): Promise<{ owner: Owner; id: string; path: string }> => {
    const owner = await api.client({ concurrency: 20 });
    const { id } = await insertBatch(api.database, { accountId: owner.accountId, rows, rejected });
    return { owner, id, path: `/v1/bulk/${id}` };
  };
  const succeed = async (owner: Owner, times = 1): Promise<void> => {
    for (let i = 0; i < times; i++) await (await api.claim(owner)).succeed();
  };

  describe('GET /v1/bulk/{id}', () => {
    it('shows the progress of the batch from its acceptance to its end', async () => {
      const { owner, id, path } = await batchOf(2, 1);
      expect(await json(owner.get(path))).toEqual({
        id,
        status: 'queued',
        retry_of: null,
        total: 3,
        counts: { queued: 2, running: 0, succeeded: 0, failed: 1, canceled: 0 },
        rejected: 1,
        progress: 0.333,
        eta_s: null,
        created_at: expect.any(String),
        started_at: null,
        finished_at: null,
        results_url: `${path}/results`,
        download_url: `${path}/download`,
        webhook: null,
      });
      const first = await api.claim(owner);
      expect(await json(owner.get(path))).toMatchObject({
        status: 'running',
        counts: { queued: 1, running: 1 },
        started_at: expect.any(String),
        eta_s: null,
      });
      await first.succeed();
      expect(await json(owner.get(path))).toMatchObject({ progress: 0.666, eta_s: expect.any(Number) });
      await (await api.claim(owner)).fail(new AppError('target_dns_error'));
      expect(await json(owner.get(path))).toMatchObject({
        status: 'completed',
        counts: { queued: 0, running: 0, succeeded: 1, failed: 2, canceled: 0 },
        progress: 1,
        eta_s: 0,
        finished_at: expect.any(String),
      });
    });

    it('responds to a waiting caller as soon as the last row has ended', async () => {
      const { owner, path } = await batchOf(2);
      await succeed(owner);
      const answer = owner.get(`${path}?wait=30`);
      await succeed(owner);
      expect(await json(answer)).toMatchObject({ status: 'completed', counts: { succeeded: 2 } });
      expect(await json(owner.get(`${path}?wait=30`))).toMatchObject({ status: 'completed' });
    });

    it('responds to a waiting caller when the wait is over', async () => {
      const { owner, path } = await batchOf(1);
      expect(await json(owner.get(`${path}?wait=1`))).toMatchObject({ status: 'queued' });
    });

    it.each(['31', '-1', '1.5', 'x', ''])('refuses to wait for %j', async (wait) => {
      const { owner, path } = await batchOf(1);
      expect(await statusAndCode(owner.get(`${path}?wait=${wait}`))).toEqual([400, 'invalid_request']);
    });

    it('shows its webhook as waiting until the batch ends', async () => {
      const owner = await api.client();
      const webhookUrl = 'https://example.com/hook';
      const { id } = await insertBatch(api.database, { accountId: owner.accountId, rows: 1, webhookUrl });
      expect(await json(owner.get(`/v1/bulk/${id}`))).toMatchObject({
        webhook: { id: null, url: webhookUrl, state: 'waiting', attempts: 0 },
      });
    });
  });

  describe('GET /v1/bulk/{id}/events', () => {
    it('sends the record, its progress and its end, and then closes', async () => {
      const { owner, path } = await batchOf(2);
      const response = await owner.get(`${path}/events`);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      const events = eventsOf(response);
      const next = async () => (await events.next()).value as ReceivedEvent | undefined;
      expect(await next()).toMatchObject({
        name: 'batch',
        id: 'queued.2.0.0.0.0',
        data: { status: 'queued' },
      });
      const first = await api.claim(owner);
      expect(await next()).toMatchObject({ id: 'running.1.1.0.0.0', data: { counts: { running: 1 } } });
      await first.succeed();
      await succeed(owner);
      let last = await next();
      // Which intermediate records are sent depends on timing.
      while (last?.data.status === 'running') last = await next();
      expect(last).toMatchObject({ id: 'completed.0.0.2.0.0', data: { status: 'completed', progress: 1 } });
      expect((await events.next()).done).toBe(true);
      expect(await json(owner.get(path))).toEqual(last?.data);
    });

    it('sends only the final record of a finished batch, and nothing to a caller who has it', async () => {
      const { owner, path } = await batchOf(0, 1);
      const [only, ...others] = await allEventsOf(await owner.get(`${path}/events`));
      expect([only?.data.status, others]).toEqual(['completed', []]);
      const again = await owner.get(`${path}/events`, { 'last-event-id': only?.id ?? '' });
      expect(again.status).toBe(204);
    });
  });

  describe('GET /v1/bulk/{id}/results', () => {
    it.each([1, 3, 100])('lists all rows in order, in pages of %i', async (limit) => {
      const { owner, id, path } = await batchOf(5, 2);
      const rows: Json[] = [];
      let cursor = '';
      do {
        const page = await json(owner.get(`${path}/results?limit=${limit}${cursor}`));
        const items = page.items as Json[];
        expect(items.length).toBeLessThanOrEqual(limit);
        rows.push(...items);
        cursor = typeof page.next_cursor === 'string' ? `&cursor=${page.next_cursor}` : '';
      } while (cursor !== '');
      expect(rows.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(rows[0]).toMatchObject({
        source: 'batch',
        batch_id: id,
        status: 'failed',
        error: { code: 'invalid_request' },
      });
      expect(rows[6]).toEqual(await json(owner.get(`/v1/captures/${String(rows[6]?.id)}`)));
    });

    it('lists the rows of one status while the batch runs', async () => {
      const { owner, path } = await batchOf(3, 1);
      await succeed(owner);
      await api.claim(owner);
      const rowsOf = async (status: string, more = '') => {
        const { items, next_cursor: next } = await json(
          owner.get(`${path}/results?status=${status}&limit=1${more}`),
        );
        return { rows: (items as Json[]).map(({ row }) => row), next };
      };
      expect(await rowsOf('failed')).toEqual({ rows: [1], next: null });
      expect(await rowsOf('succeeded')).toEqual({ rows: [2], next: null });
      expect(await rowsOf('running')).toEqual({ rows: [3], next: null });
      expect(await rowsOf('queued')).toEqual({ rows: [4], next: null });
      expect(await rowsOf('canceled')).toEqual({ rows: [], next: null });
    });

    it.each(['limit=0', 'limit=101', 'limit=x', 'status=done', 'cursor=abc', 'cursor=', 'page=2'])(
      'refuses %s',
      async (query) => {
        const { owner, path } = await batchOf(1);
        expect(await statusAndCode(owner.get(`${path}/results?${query}`))).toEqual([400, 'invalid_request']);
      },
    );
  });

  describe('DELETE /v1/bulk/{id}', () => {
    it('immediately cancels the rows that have not ended, and releases their units', async () => {
      const { owner, path } = await batchOf(4, 1);
      await succeed(owner);
      const running = await api.claim(owner);
      const canceled = await json(owner.send('DELETE', path));
      expect(canceled).toMatchObject({
        status: 'canceled',
        counts: { queued: 0, running: 0, succeeded: 1, failed: 1, canceled: 3 },
        progress: 1,
        eta_s: 0,
        finished_at: expect.any(String),
      });
      await running.succeed();
      expect(await json(owner.get(path))).toEqual(canceled);
      expect(await json(owner.get(`/v1/jobs/${running.id}`))).toMatchObject({
        status: 'canceled',
        cancel_reason: 'client_request',
        billable: false,
      });
      expect(await json(owner.get('/v1/usage'))).toMatchObject({ used: 1, concurrency: { remaining: 20 } });
    });

    it('repeats its response, and refuses to cancel a completed batch', async () => {
      const { owner, path } = await batchOf(2);
      const first = await json(owner.send('DELETE', path));
      expect(await json(owner.send('DELETE', path))).toEqual(first);
      const over = await batchOf(0, 1);
      expect(await statusAndCode(over.owner.send('DELETE', over.path))).toEqual([409, 'job_finished']);
    });

    it('ends every wait: for the batch, its events and one of its rows', async () => {
      const { owner, path } = await batchOf(2);
      const { id } = await api.claim(owner);
      const waits = [owner.get(`${path}?wait=30`), owner.get(`/v1/jobs/${id}?wait=30`)].map(json);
      const events = eventsOf(await owner.get(`${path}/events`));
      await events.next();
      await owner.send('DELETE', path);
      for (const each of waits) expect(await each).toMatchObject({ status: 'canceled' });
      expect((await events.next()).value).toMatchObject({ data: { status: 'canceled' } });
      expect((await events.next()).done).toBe(true);
    });
  });

  it('allows HEAD wherever it allows GET', async () => {
    const { owner, path } = await batchOf(1);
    for (const each of ['', '/events', '/results']) {
      const response = await owner.send('HEAD', `${path}${each}`);
      expect([each, response.status, await response.text()]).toEqual([each, 200, '']);
    }
  });

  describe('rows of a batch as captures and as jobs', () => {
    it('can be listed by batch', async () => {
      const { owner, id } = await batchOf(2, 1);
      await owner.submit({ url: 'https://example.com/' });
      const { items } = await json(owner.get(`/v1/captures?batch_id=${id}`));
      expect((items as Json[]).map(({ row }) => row).sort()).toEqual([1, 2, 3]);
    });

    it('are shown and canceled one by one, until the batch has ended', async () => {
      const { owner, path, id } = await batchOf(2);
      const { items } = await json(owner.get(`${path}/results`));
      const [first, second] = (items as Json[]).map((row) => `/v1/jobs/${String(row.id)}`);
      expect(await json(owner.get(first ?? ''))).toMatchObject({ batch_id: id, row: 1, queue_position: 1 });
      expect(await json(owner.send('DELETE', first ?? ''))).toMatchObject({ status: 'canceled' });
      expect(await json(owner.get(path))).toMatchObject({ status: 'queued', counts: { canceled: 1 } });
      await owner.send('DELETE', second ?? '');
      expect(await json(owner.get(path))).toMatchObject({ status: 'completed', counts: { canceled: 2 } });
      expect(await json(owner.get('/v1/usage'))).toMatchObject({ used: 0 });
    });
  });
});
