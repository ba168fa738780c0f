import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, newId } from '@app/kernel';
import { startApi, type TestApi } from '../support/api.js';
import { json, type Client, type Json } from '../support/client.js';
import { exchange } from '../support/raw-http.js';
import { readProblem, refusalOf, SECRET, tracesIn } from './refusal.js';

const PAGE = { url: 'https://example.com/' };

/** Rows 72, 73, 75 to 77 and 79 of the bad-input matrix, for jobs. */
describe('jobs', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  let key: string;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
    key = (client as unknown as { key: string }).key;
  });

  afterAll(async () => {
    await api.close();
  });

  const submitted = async (who: Client = client): Promise<string> =>
    String((await json(who.submit(PAGE))).id);

  describe('with a webhook_url', () => {
    let before: Json;

    beforeEach(async () => {
      before = await tracesIn(api);
    });

    afterEach(async () => {
      expect(await tracesIn(api)).toEqual(before);
    });

    it.each([
      ['null', null],
      ['a number', 5],
      ['a list', ['https://example.com/']],
      ['an object', { url: 'https://example.com/' }],
      ['empty', ''],
      ['without a scheme', 'example.com/hook'],
      ['relative to a scheme', '//example.com/hook'],
      ['of another scheme', 'ftp://example.com/hook'],
      ['of a script', 'javascript:alert(1)'],
      ['of a file', 'file:///etc/passwd'],
      ['of plain http', 'http://example.com/hook'],
      ['of plain http to a private address', 'http://10.0.0.1/hook'],
      ['with a password', `https://user:${SECRET}@example.com/`],
      ['with a user name', `https://${SECRET}@example.com/`],
      ['of 2,049 characters', `https://example.com/${'a'.repeat(2_029)}`],
      ['of 3 kB', `https://example.com/${'a'.repeat(3_000)}`],
      ['with a line feed', 'https://example.com/\nhook'],
      ['with NUL', 'https://example.com/\0'],
      ['with a lone surrogate', 'https://example.com/\ud800'],
      ['without a host', 'https://'],
      ['with an empty label', 'https://a..b/'],
    ])('are refused when it is not a valid webhook URL: %s', async (_, url) => {
      expect(await refusalOf(client.submit({ ...PAGE, webhook_url: url }))).toBe(
        '400 invalid_request /webhook_url',
      );
    });

    it.each([
      'https://localhost/',
      'https://127.0.0.1/',
      'https://0x7f.1/',
      'https://[::1]/',
      'https://[::ffff:169.254.169.254]/',
      'https://169.254.169.254/latest/',
      'https://10.0.0.1/',
      'https://192.168.1.1/',
      'https://metadata.google.internal/',
      'https://postgres/',
      'https://example.com:22/',
      'https://example.com:5432/',
    ])('are refused when it is not public: %s', async (url) => {
      expect(await refusalOf(client.submit({ ...PAGE, webhook_url: url }))).toBe(
        '403 target_forbidden /webhook_url',
      );
    });

    it('report the faults of the options and of the webhook together', async () => {
      const refusal = await refusalOf(
        client.submit({ url: 'example.com', viewport_width: 1, webhook_url: 'x', webhook: 'y' }),
      );
      expect(refusal).toBe('400 invalid_request /webhook /url /viewport_width /webhook_url');
    });

    it('are the only requests that accept it', async () => {
      expect(await refusalOf(client.capture({ ...PAGE, webhook_url: 'https://example.com/' }))).toBe(
        '400 invalid_request /webhook_url',
      );
    });
  });

  describe('under an Idempotency-Key', () => {
    const send = (path: string, headers: string) => {
      const body = JSON.stringify(PAGE);
      return exchange(
        api.url,
        Buffer.from(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n` +
            `${headers}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          'latin1',
        ),
      );
    };

    describe.each(['/v1/jobs', '/v1/capture'])('at %s', (path) => {
      it.each([
        ['empty', 'Idempotency-Key: \r\n'],
        ['of empty quotes', 'Idempotency-Key: ""\r\n'],
        ['of 256 characters', `Idempotency-Key: ${'k'.repeat(256)}\r\n`],
        ['of 8 kB', `Idempotency-Key: ${'k'.repeat(8_192)}\r\n`],
        ['with a tab', 'Idempotency-Key: a\tb\r\n'],
        ['of another alphabet', 'Idempotency-Key: cl\xe9\r\n'],
        ['with an open quote', 'Idempotency-Key: "abc\r\n'],
        ['with something behind the quotes', 'Idempotency-Key: "abc";a=1\r\n'],
        ['twice', 'Idempotency-Key: a\r\nIdempotency-Key: a\r\n'],
        ['twice, differently spelt', 'idempotency-key: a\r\nIDEMPOTENCY-KEY: b\r\n'],
      ])('are refused, naming the header: %s', async (_, headers) => {
        const before = await tracesIn(api);
        const answer = await send(path, headers);
        const problem = JSON.parse(answer.body) as Json;
        expect(readProblem(problem, answer.statuses[0] ?? 0, answer.headers.get('x-request-id'))).toBe(
          '400 invalid_request Idempotency-Key',
        );
        expect(await tracesIn(api)).toEqual(before);
      });

      it.each([
        ['NUL', '\0'],
        ['a control character', '\x01'],
        ['DEL', '\x7f'],
      ])('are refused with %s in it', async (_, character) => {
        const answer = await send(path, `Idempotency-Key: a${character}b\r\n`);
        expect(answer.statuses).toEqual([400]);
        expect((JSON.parse(answer.body) as Json).code).toBe('invalid_request');
      });
    });

    it('that belongs to another request are refused', async () => {
      const headers = { 'idempotency-key': newId() };
      expect((await client.submit(PAGE, headers)).status).toBe(202);
      expect(await refusalOf(client.submit({ ...PAGE, format: 'pdf' }, headers))).toBe(
        '422 idempotency_mismatch',
      );
    });

    it('that belongs to a running capture are refused', async () => {
      const headers = { 'idempotency-key': newId() };
      // Jobs of other tests would be claimed before it arrives.
      const caller = await api.client();
      const first = caller.capture(PAGE, { headers: { ...headers, prefer: 'wait=1' } });
      const { fail } = await api.claim(caller);
      expect(await refusalOf(caller.capture(PAGE, { headers }))).toBe('409 idempotency_in_flight');
      await fail(new AppError('target_dns_error'));
      await (await first).arrayBuffer();
    });
  });

  it('past the allowance are refused, and leave no trace', async () => {
    const poor = await api.client({ allowance: 0 });
    const before = await tracesIn(api);
    expect(await refusalOf(poor.submit(PAGE, { 'idempotency-key': 'k' }))).toBe('402 allowance_exhausted');
    expect(await tracesIn(api)).toEqual(before);
    const { rows } = await api.database.query(`SELECT key FROM idempotency_keys WHERE account_id = $1`, [
      poor.accountId,
    ]);
    expect(rows).toEqual([]);
  });

  it('without a file say why there is none', async () => {
    const who = await api.client();
    const waiting = await submitted(who);
    expect(await refusalOf(who.get(`/v1/jobs/${waiting}/result`))).toBe('409 job_not_finished');
    await (await api.claim(who)).fail(new AppError('target_tls_error'));
    expect(await refusalOf(who.get(`/v1/jobs/${waiting}/result`))).toBe('422 target_tls_error');
    const done = await submitted(who);
    await (await api.claim(who)).succeed();
    await api.database.query(`UPDATE jobs SET expires_at = now() - interval '1 s' WHERE id = $1`, [done]);
    expect(await refusalOf(who.get(`/v1/jobs/${done}/result`))).toBe('410 result_expired');
    const canceled = await submitted(who);
    await who.send('DELETE', `/v1/jobs/${canceled}`);
    expect(await refusalOf(who.get(`/v1/jobs/${canceled}/result`))).toBe('409 job_canceled');
  });

  it('that have ended cannot be canceled, and canceled ones stay canceled', async () => {
    const who = await api.client();
    const done = await submitted(who);
    await (await api.claim(who)).succeed();
    expect(await refusalOf(who.send('DELETE', `/v1/jobs/${done}`))).toBe('409 job_finished');
    const canceled = await submitted(who);
    const answers = [0, 1].map(async () => json(who.send('DELETE', `/v1/jobs/${canceled}`)));
    const [first, second] = await Promise.all(answers);
    expect(first).toEqual(second);
  });

  it.each(['wait=-1', 'wait=31', 'wait=x', 'wait=', 'wait=1.5', 'wait=1&wait=2', 'wiat=1'])(
    'requested with ?%s are refused',
    async (query) => {
      const id = await submitted();
      expect(await refusalOf(client.get(`/v1/jobs/${id}?${query}`))).toMatch(/^400 invalid_request \/w/);
    },
  );

  it.each(['DELETE', 'GET'])(
    'with a malformed id or of another account are not found by %s',
    async (method) => {
      const stranger = await api.client();
      const ends = method === 'GET' ? ['', '/result', '/events'] : [''];
      for (const id of ['../../etc/passwd', '\0', '1', "' OR 1=1--", 'x'.repeat(1_000), await submitted()]) {
        for (const end of ends) {
          const path = `/v1/jobs/${encodeURIComponent(id)}${end}`;
          expect([path, await refusalOf(stranger.send(method, path))]).toEqual([path, '404 not_found']);
        }
      }
    },
  );
});
