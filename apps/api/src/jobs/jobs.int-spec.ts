import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JobWatchService } from '@app/jobs';
import { AppError, newId } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client, type Json, statusAndCode } from '../../../../test/support/client.js';
import { allEventsOf, eventsOf } from '../../../../test/support/event-source.js';
import { eventually } from '../../../../test/support/eventually.js';

const PAGE = { url: 'https://example.com/page' };
const HOOK = 'https://hooks.example.com/capture';

describe('jobs', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };

  beforeAll(async () => {
    api = await startApi({ EGRESS_ALLOW: 'intranet:8080' });
    client = await api.client();
  });

  afterAll(async () => {
    await api.close();
  });

  const submitted = async (more: Json = {}, owner: Client = client): Promise<string> =>
    String((await json(owner.submit({ ...PAGE, ...more }))).id);
  const used = async (owner: Client = client) => (await json(owner.get('/v1/usage'))).used;

  describe('POST /v1/jobs', () => {
    it('accepts immediately, with the location of the job', async () => {
      const fresh = await api.client();
      const response = await fresh.submit(
        { ...PAGE, format: 'pdf', reference: 'r', webhook_url: HOOK },
        { 'x-request-id': 'my-request-1' },
      );
      expect(response.status).toBe(202);
      const record = await json(response);
      expect(response.headers.get('location')).toBe(`/v1/jobs/${String(record.id)}`);
      expect(response.headers.get('idempotency-replayed')).toBeNull();
      expect(record).toMatchObject({
        source: 'job',
        status: 'queued',
        reference: 'r',
        url: 'https://example.com/page',
        options: { ...PAGE, format: 'pdf', reference: 'r' },
        attempts: 0,
        queue_position: 1,
        webhook: { state: 'waiting', url: HOOK, attempts: 0, last_status: null },
        result_url: null,
      });
      expect(Object.keys(record.options as Json)).not.toContain('webhook_url');
      expect(await json(fresh.get(`/v1/jobs/${String(record.id)}`))).toEqual(record);
      const { rows } = await api.database.query(`SELECT request_id FROM jobs WHERE id = $1`, [record.id]);
      expect(rows).toEqual([{ request_id: 'my-request-1' }]);
    });

    it('never refuses for concurrency, and shows the position of each job', async () => {
      const narrow = await api.client({ concurrency: 1 });
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) ids.push(await submitted({}, narrow));
      const places = await Promise.all(
        ids.map(async (id) => (await json(narrow.get(`/v1/jobs/${id}`))).queue_position),
      );
      expect(places).toEqual([1, 2, 3]);
    });

    it('refuses a job beyond the allowance', async () => {
      const poor = await api.client({ allowance: 1 });
      await submitted({}, poor);
      expect(await statusAndCode(poor.submit(PAGE))).toEqual([402, 'allowance_exhausted']);
    });

    it('suggests webhook_url for a misspelt name', async () => {
      expect(await json(client.submit({ ...PAGE, webhok_url: HOOK }))).toMatchObject({
        errors: [{ pointer: '/webhok_url', detail: 'is not a known field; did you mean webhook_url?' }],
      });
      expect(await statusAndCode(client.capture({ ...PAGE, webhook_url: HOOK }))).toEqual([
        400,
        'invalid_request',
      ]);
    });

    it('accepts a webhook_url that EGRESS_ALLOW opens, although it is neither https nor public', async () => {
      const response = await client.submit({ ...PAGE, webhook_url: 'http://intranet:8080/hook' });
      expect((await json(response)).webhook).toMatchObject({ url: 'http://intranet:8080/hook' });
    });

    it('names webhook_url when it is not public', async () => {
      const response = await client.submit({ ...PAGE, webhook_url: 'https://10.0.0.1/' });
      expect(response.status).toBe(403);
      expect(await json(response)).toMatchObject({
        code: 'target_forbidden',
        detail: 'webhook_url must be a public web address',
        errors: [{ pointer: '/webhook_url', code: 'not_public' }],
      });
    });
  });

  describe('GET /v1/jobs/{id}', () => {
    it('shows the state of the job and its webhook', async () => {
      const owner = await api.client();
      const id = await submitted({ webhook_url: HOOK }, owner);
      const capture = await api.claim(owner);
      expect(await json(owner.get(`/v1/jobs/${id}`))).toMatchObject({
        status: 'running',
        queue_position: null,
      });
      await capture.succeed(Buffer.from('the file'));
      expect(await json(owner.get(`/v1/jobs/${id}`))).toMatchObject({
        status: 'succeeded',
        queue_position: null,
        webhook: { id: expect.any(String), state: 'pending' },
      });
      expect(await (await owner.get(`/v1/jobs/${id}/result`)).text()).toBe('the file');
    });

    it('responds to a waiting caller as soon as there is a final status', async () => {
      const owner = await api.client();
      const id = await submitted({}, owner);
      const waiting = owner.get(`/v1/jobs/${id}?wait=30`);
      await (await api.claim(owner)).fail(new AppError('target_dns_error'));
      expect(await json(waiting)).toMatchObject({ status: 'failed', error: { code: 'target_dns_error' } });
    });

    it('responds to a waiting caller when the wait is over', async () => {
      const id = await submitted();
      expect(await json(client.get(`/v1/jobs/${id}?wait=1`))).toMatchObject({ id, status: 'queued' });
    });
  });

  describe('DELETE /v1/jobs/{id}', () => {
    it.each(['queued', 'running'])('cancels a job that is %s, and charges nothing', async (state) => {
      const owner = await api.client();
      const id = await submitted({ webhook_url: HOOK }, owner);
      const capture = state === 'running' ? await api.claim(owner) : undefined;
      const response = await owner.send('DELETE', `/v1/jobs/${id}`);
      expect(response.status).toBe(200);
      const record = await json(response);
      expect(record).toMatchObject({
        id,
        status: 'canceled',
        cancel_reason: 'client_request',
        billable: false,
        queue_position: null,
        webhook: { state: 'pending' },
      });
      await capture?.succeed();
      expect(await json(owner.send('DELETE', `/v1/jobs/${id}`))).toEqual(record);
      expect(await statusAndCode(owner.get(`/v1/jobs/${id}/result`))).toEqual([409, 'job_canceled']);
      expect(await used(owner)).toBe(0);
    });

    it('refuses to cancel a job that has succeeded or failed', async () => {
      const owner = await api.client();
      const done = await submitted({}, owner);
      await (await api.claim(owner)).succeed();
      const failed = await submitted({}, owner);
      await (await api.claim(owner)).fail(new AppError('target_dns_error'));
      for (const id of [done, failed]) {
        expect(await statusAndCode(owner.send('DELETE', `/v1/jobs/${id}`))).toEqual([409, 'job_finished']);
      }
    });

    it.each(['GET', 'DELETE'])(
      'by %s responds with 404 to a job of another account, and to what is not an id',
      async (method) => {
        const stranger = await api.client();
        const id = await submitted();
        for (const each of [id, newId(), 'x', id.toUpperCase()]) {
          expect(await statusAndCode(stranger.send(method, `/v1/jobs/${each}`))).toEqual([404, 'not_found']);
        }
        expect(await json(client.get(`/v1/jobs/${id}`))).toMatchObject({ status: 'queued' });
      },
    );
  });

  describe('GET /v1/jobs/{id}/events', () => {
    const watching = () => api.app.get(JobWatchService, { strict: false }).size;

    it('sends the record immediately and at every change, and ends with the final one', async () => {
      const owner = await api.client();
      const ahead = await submitted({}, owner);
      const id = await submitted({}, owner);
      const response = await owner.get(`/v1/jobs/${id}/events`);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      const ids: string[] = [];
      for await (const { name, id: eventId, data } of eventsOf(response)) {
        expect([name, data.id]).toEqual(['job', id]);
        ids.push(eventId);
        if (eventId === 'queued.0.2') await owner.send('DELETE', `/v1/jobs/${ahead}`);
        if (eventId === 'queued.0.1')
          await api.claim(owner).then(({ fail }) => fail(new AppError('browser_crashed')));
        if (eventId === 'queued.1.1') await api.claim(owner).then(({ succeed }) => succeed());
      }
      expect(ids).toEqual(['queued.0.2', 'queued.0.1', 'queued.1.1', 'succeeded.2']);
      expect(watching()).toBe(0);
    });

    it('sends one event of a finished job, and none to a caller who has it', async () => {
      const owner = await api.client();
      const id = await submitted({}, owner);
      await owner.send('DELETE', `/v1/jobs/${id}`);
      const events = await allEventsOf(await owner.get(`/v1/jobs/${id}/events`));
      expect(events).toMatchObject([{ id: 'canceled.0', data: { status: 'canceled' } }]);
      const again = await owner.get(`/v1/jobs/${id}/events`, { 'last-event-id': 'canceled.0' });
      expect([again.status, await again.text()]).toEqual([204, '']);
      expect((await owner.get(`/v1/jobs/${id}/events`, { 'last-event-id': 'running.1' })).status).toBe(200);
    });

    it('responds to HEAD with the headers only', async () => {
      const response = await client.send('HEAD', `/v1/jobs/${await submitted()}/events`);
      expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
        '',
      ]);
      expect(watching()).toBe(0);
    });

    it('stops watching when the caller disconnects', async () => {
      const disconnect = new AbortController();
      const id = await submitted();
      const response = await client.send('GET', `/v1/jobs/${id}/events`, { signal: disconnect.signal });
      await eventsOf(response).next();
      expect(watching()).toBe(1);
      disconnect.abort();
      await eventually('the watch has ended', () => watching() === 0);
    });

    it('ends when the record is deleted', async () => {
      const id = await submitted();
      const events = eventsOf(await client.get(`/v1/jobs/${id}/events`));
      await events.next();
      await api.database.query(`DELETE FROM jobs WHERE id = $1`, [id]);
      expect((await events.next()).done).toBe(true);
    });

    it('responds with 404 to a job of another account', async () => {
      const stranger = await api.client();
      expect(await statusAndCode(stranger.get(`/v1/jobs/${await submitted()}/events`))).toEqual([
        404,
        'not_found',
      ]);
    });
  });
});
