import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { noFacts, openFields } from '@app/capture';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { secondsFrom } from '../../../../test/support/seconds-from.js';

const PAGE = { url: 'https://example.com/page' };

describe('POST /v1/capture', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
  });

  afterAll(async () => {
    await api.close();
  });

  const statusOf = async (id: string) => {
    const { rows } = await api.database.query<{ status: string; cancel_reason: string | null }>(
      `SELECT status, cancel_reason FROM jobs WHERE id = $1`,
      [id],
    );
    return rows[0];
  };
  const used = async (owner: Client = client) => (await json(owner.get('/v1/usage'))).used;

  it('responds with the file, and its facts as headers', async () => {
    const answer = client.capture({ ...PAGE, filename: 'front "page"'.replaceAll('"', '') });
    const capture = await api.claim();
    await capture.succeed(Buffer.from('these bytes'));
    const response = await answer;
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('these bytes');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '11',
      'content-disposition': 'inline; filename="front page.png"',
      'x-content-type-options': 'nosniff',
      'x-capture-id': capture.id,
      'x-capture-http-status': '200',
      'x-capture-final-url': 'https://example.com/final?q=%C3%BC',
      'x-capture-billable': 'true',
      'server-timing':
        'queue;dur=3, prepare;dur=2, navigate;dur=120, settle;dur=0, render;dur=60, store;dur=2',
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    });
  });

  it.each([
    ['response is json', { response: 'json' }, {}],
    ['the caller accepts only JSON', {}, { accept: 'application/json' }],
  ])('responds with the record when %s', async (_, options, headers) => {
    const answer = client.capture({ ...PAGE, reference: 'r', ...options }, { headers });
    const { id, succeed } = await api.claim();
    await succeed(Buffer.from('x'));
    const response = await answer;
    expect(response.status).toBe(200);
    expect(await json(response)).toEqual({
      ...openFields(noFacts()),
      id,
      source: 'sync',
      status: 'succeeded',
      reference: 'r',
      batch_id: null,
      row: null,
      url: 'https://example.com/page',
      final_url: 'https://example.com/final?q=ü',
      http_status: 200,
      title: 'Example Domain',
      format: 'png',
      width: 1280,
      height: 800,
      page_height: 2_000,
      bytes: 1,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      files: [
        {
          name: 'result',
          format: 'png',
          bytes: 1,
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          width: 1280,
          height: 800,
          offset_y: null,
          pages: null,
          page_height: 2_000,
          truncated: false,
          content: null,
          url: `/v1/captures/${id}/files/result`,
        },
      ],
      options: { ...PAGE, reference: 'r', ...options },
      attempts: 1,
      billable: true,
      timings: {
        queue_ms: 3,
        prepare_ms: 2,
        navigate_ms: 120,
        settle_ms: 0,
        render_ms: 60,
        store_ms: 2,
        total_ms: 187,
      },
      blocked_requests: 1,
      blocked: { ads: 0, trackers: 0, chats: 0, annoyances: 0, rules: 1, forbidden: 0 },
      failed_requests: 2,
      verdict: { kind: 'page', evidence: [] },
      cache: null,
      error: null,
      cancel_reason: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      started_at: expect.any(String),
      finished_at: expect.any(String),
      expires_at: expect.any(String),
      deleted_at: null,
      result_url: `/v1/captures/${id}/result`,
    });
  });

  it.each(['*/*', 'application/json, text/plain, */*', 'image/*', 'text/html'])(
    'responds with the file for Accept: %s',
    async (accept) => {
      const answer = client.capture(PAGE, { headers: { accept } });
      await (await api.claim()).succeed();
      expect((await answer).headers.get('content-type')).toBe('image/png');
    },
  );

  it('responds with the error of a failed capture, and charges nothing', async () => {
    const before = await used();
    const answer = client.capture({ ...PAGE, response: 'json' });
    const { id, fail } = await api.claim();
    await fail(
      new AppError('target_dns_error', {
        detail: 'Could not resolve exmaple.com',
        netError: 'net::ERR_NAME_NOT_RESOLVED',
        phase: 'navigate',
      }),
    );
    const response = await answer;
    expect(response.status).toBe(422);
    expect(response.headers.get('x-capture-id')).toBe(id);
    expect(await json(response)).toEqual({
      type: '/docs/errors#target_dns_error',
      title: "The target's host name could not be resolved",
      status: 422,
      detail: 'Could not resolve exmaple.com',
      code: 'target_dns_error',
      retryable: false,
      request_id: expect.any(String),
      net_error: 'net::ERR_NAME_NOT_RESOLVED',
      phase: 'navigate',
    });
    expect(await used()).toBe(before);
  });

  it('responds with the verdict that fail_on_verdict refuses, keeps it in the record, and charges nothing', async () => {
    const before = await used();
    const verdict = {
      kind: 'bot_wall',
      evidence: ['title: Just a moment...', 'vendor: Cloudflare'],
    } as const;
    const answer = client.capture({ ...PAGE, fail_on_verdict: ['bot_wall', 'blank'] });
    const { id, fail } = await api.claim();
    await fail(
      new AppError('condition_failed', { detail: 'It is a wall.', phase: 'render', verdict }),
      verdict,
    );
    const response = await answer;
    expect(response.status).toBe(422);
    const problem = await json(response);
    expect(problem).toMatchObject({ code: 'condition_failed', retryable: false, phase: 'render', verdict });
    const record = await json(client.get(`/v1/captures/${id}`));
    expect(record).toMatchObject({ status: 'failed', billable: false, verdict, error: { verdict } });
    const result = await json(client.get(`/v1/captures/${id}/result`));
    expect(result).toMatchObject({ code: 'condition_failed', verdict });
    expect(await used()).toBe(before);
  });

  it.each([['page'], ['blanc'], 'blank'])('refuses fail_on_verdict: %j', async (kinds) => {
    const response = await client.capture({ ...PAGE, fail_on_verdict: kinds });
    expect(response.status).toBe(400);
    const [fault] = (await json(response)).errors as { pointer: string }[];
    expect(fault?.pointer).toMatch(/^\/fail_on_verdict/);
  });

  it('responds with the job after the wait of Prefer, and continues', async () => {
    const response = await client.capture(PAGE, { headers: { prefer: 'respond-async, wait=1' } });
    expect(response.status).toBe(202);
    expect(response.headers.get('preference-applied')).toBe('wait=1');
    const record = await json(response);
    expect(record).toMatchObject({ status: 'queued', queue_position: 1, webhook: null, result_url: null });
    expect(response.headers.get('location')).toBe(`/v1/jobs/${String(record.id)}`);
    const waiting = client.get(`/v1/jobs/${String(record.id)}?wait=30`);
    await (await api.claim()).succeed(Buffer.from('late'));
    expect(await json(waiting)).toMatchObject({ status: 'succeeded', queue_position: null });
    expect(await (await client.get(`/v1/jobs/${String(record.id)}/result`)).text()).toBe('late');
  });

  it.each(['wait=0', 'wait=121', 'wait=x', 'wait='])('refuses Prefer: %s', async (prefer) => {
    const response = await client.capture(PAGE, { headers: { prefer } });
    expect([response.status, (await json(response)).code]).toEqual([400, 'invalid_request']);
  });

  it.each(['queued', 'running'])(
    'cancels a capture that is %s when its caller disconnects',
    async (state) => {
      const other = await api.client();
      const { key } = other as unknown as { key: string };
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      const body = JSON.stringify(PAGE);
      socket.write(
        `POST /v1/capture HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      let id: string | undefined;
      await eventually('the capture is there', async () => {
        const { rows } = await api.database.query<{ id: string }>(
          `SELECT id FROM jobs WHERE account_id = $1`,
          [other.accountId],
        );
        id = rows[0]?.id;
        return id !== undefined;
      });
      if (state === 'running') await api.claim();
      expect(await used(other)).toBe(1);
      socket.destroy();
      await eventually('it is canceled', async () => (await statusOf(id ?? ''))?.status === 'canceled');
      expect(await statusOf(id ?? '')).toEqual({ status: 'canceled', cancel_reason: 'client_disconnected' });
      expect(await used(other)).toBe(0);
    },
  );

  it('refuses invalid options with every fault, and stores nothing', async () => {
    const other = await api.client();
    const response = await other.capture({ ...PAGE, viewport_width: 5, fulll_page: true });
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({
      errors: [
        { pointer: '/fulll_page', code: 'unknown_field' },
        { pointer: '/viewport_width', code: 'out_of_range' },
      ],
    });
    expect(await json(other.get('/v1/captures'))).toEqual({ items: [], next_cursor: null });
  });

  it('refuses a capture beyond the allowance, and stores nothing', async () => {
    const poor = await api.client({ allowance: 0 });
    const response = await poor.capture(PAGE);
    expect([response.status, (await json(response)).code]).toEqual([402, 'allowance_exhausted']);
    expect((await json(poor.get('/v1/captures'))).items).toEqual([]);
  });

  it('refuses a capture beyond the concurrency of the account, and says when to retry', async () => {
    const narrow = await api.client({ concurrency: 1 });
    const first = narrow.capture(PAGE);
    const { succeed } = await api.claim();
    const second = await narrow.capture(PAGE);
    expect([second.status, (await json(second)).code]).toEqual([429, 'concurrency_exceeded']);
    expect(second.headers.get('retry-after')).toEqual(secondsFrom(1));
    await succeed();
    expect((await first).status).toBe(200);
  });
});
