import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../support/api.js';
import type { Client, Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { exchange, hangUp, openSocket, readAnswer, type RawAnswer } from '../support/raw-http.js';
import { NO_TRACES, readProblem, tracesIn } from './refusal.js';

const headers = (count: number, line = 'X: y'): string => `${line}\r\n`.repeat(count);

/** The status and the code of the problem in a response. */
function refusalIn({ statuses, headers: sent, body }: RawAnswer): string {
  expect(sent.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(sent.get('content-length')).toBe(String(body.length));
  return readProblem(JSON.parse(body) as Json, statuses.at(-1) ?? 0, sent.get('x-request-id'));
}

describe('a connection', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  let key: string;

  beforeAll(async () => {
    api = await startApi({ HTTP_HEADERS_TIMEOUT_MS: '100', HTTP_REQUEST_TIMEOUT_MS: '200' });
    client = await api.client();
    key = (client as unknown as { key: string }).key;
  });

  afterAll(async () => {
    await api.close();
  });

  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      api.app.getHttpServer().getConnections((error: Error | null, count: number) => {
        if (error) reject(error);
        else resolve(count);
      });
    });

  describe('gets a problem, is closed and leaves no trace,', () => {
    afterEach(async () => {
      expect(await tracesIn(api)).toEqual(NO_TRACES);
      hangUp();
      await eventually('no connection is left', async () => (await connections()) === 0);
    });

    const GET = 'GET /v1/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
    const post = (more: string, body = ''): string =>
      `POST /v1/capture HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n${more}\r\n\r\n${body}`;

    it.each([
      ['what is not HTTP', 'NONSENSE\r\n\r\n', '400 invalid_request'],
      ['TLS', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1', '400 invalid_request'],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400 invalid_request'],
      ['a version that is none', 'GET / HTTP/3.0\r\nHost: x\r\n\r\n', '400 invalid_request'],
      ['a method that is none', 'FOO /v1/version HTTP/1.1\r\nHost: x\r\n\r\n', '400 invalid_request'],
      ['a path of raw bytes', 'GET /v1/\xe9 HTTP/1.1\r\nHost: x\r\n\r\n', '400 invalid_request'],
      ['a space before a colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n', '400 invalid_request'],
      ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\n y\r\n\r\n', '400 invalid_request'],
      ['NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n', '400 invalid_request'],
      ['a bare carriage return', 'GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n', '400 invalid_request'],
      ['no host', 'GET /v1/version HTTP/1.1\r\nConnection: close\r\n\r\n', '400 invalid_request'],
      ['two hosts', `${GET}Host: y\r\n\r\n`, '400 invalid_request'],
      ['200 headers', `${GET}${headers(200)}\r\n`, '431 headers_too_large'],
      ['3,000 headers', `${GET}${headers(3_000)}\r\n`, '431 headers_too_large'],
      ['a header of 20 kB', `${GET}${headers(1, `X: ${'y'.repeat(20_000)}`)}\r\n`, '431 headers_too_large'],
      ['10 MB of headers', `${GET}${headers(1_000_000, 'X: yyyyyy')}`, '431 headers_too_large'],
      ['a URL of 20 kB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, '431 headers_too_large'],
    ])('for %s', async (_, bytes, refusal) => {
      expect(refusalIn(await exchange(api.url, Buffer.from(bytes, 'latin1')))).toBe(refusal);
    });

    it.each([
      ['two lengths', 'Content-Length: 2\r\nContent-Length: 3', '{}'],
      ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
      ['a negative length', 'Content-Length: -1', '{}'],
      ['a length in words', 'Content-Length: two', '{}'],
      ['a length past any number', 'Content-Length: 99999999999999999999999', '{}'],
      ['an encoding that does not end', 'Transfer-Encoding: identity', '{}'],
      ['a chunk without a size', 'Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'],
      ['a chunk past any size', 'Transfer-Encoding: chunked', 'ffffffffffffffff1\r\n{}\r\n0\r\n\r\n'],
      ['20 kB of chunk extension', 'Transfer-Encoding: chunked', `2;${'x'.repeat(20_000)}\r\n{}\r\n`],
      ['garbage behind its end', 'Content-Length: 2', '{}garbage\r\n\r\n'],
    ])('for a body with %s', async (_, more, body) => {
      expect(refusalIn(await exchange(api.url, post(more, body)))).toBe('400 invalid_request');
    });

    it.each([
      ['a first line', 'GET /v1/ver'],
      ['headers', 'GET /v1/version HTTP/1.1\r\nHost: x\r\nX-Slow:'],
    ])('when %s never end', async (_, bytes) => {
      expect(refusalIn(await exchange(api.url, bytes))).toBe('408 request_timeout');
    });

    it.each([
      ['of a told length', 'Content-Length: 100', '{"url":'],
      ['in chunks', 'Transfer-Encoding: chunked', '5\r\n{"url\r\n'],
      ['not begun', 'Content-Length: 100', ''],
    ])('when a body never ends: %s', async (_, more, begun) => {
      expect(refusalIn(await exchange(api.url, post(more, begun)))).toBe('408 request_timeout');
    });

    it('when a body arrives byte by byte', async () => {
      const socket = await openSocket(api.url);
      socket.write(post('Content-Length: 1000000'));
      const drip = setInterval(() => socket.write(' '), 20);
      const answer = readAnswer(socket);
      expect(refusalIn(await answer.finally(() => clearInterval(drip)))).toBe('408 request_timeout');
    });

    it('when a refused client keeps it open', async () => {
      const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(api.url)));
      for (const socket of sockets) socket.write('NONSENSE\r\n\r\n');
      const answers = await Promise.all(sockets.map(readAnswer));
      expect(new Set(answers.map(refusalIn))).toEqual(new Set(['400 invalid_request']));
      await eventually('all are closed', async () => (await connections()) === 0);
    });

    it('when the client of a body past the limit waits for 100 Continue', async () => {
      const answer = await exchange(api.url, post('Content-Length: 8388609\r\nExpect: 100-continue'));
      expect(refusalIn(answer)).toBe('413 payload_too_large');
    });

    it('or is closed at once, for CONNECT', async () => {
      const { text } = await exchange(
        api.url,
        'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
      );
      expect(text).toBe('');
    });
  });

  it.each([
    ['of HTTP/1.0', 'GET /v1/version HTTP/1.0\r\n\r\n'],
    [
      'with an unknown expectation',
      'GET /v1/version HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n',
    ],
    ['to a proxy', 'GET http://evil.example/v1/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    [
      'with a body that no route reads',
      'GET /v1/version HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    ],
    [
      'to upgrade to WebSocket',
      'GET /v1/version HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    ],
  ])('accepts a request %s', async (_, bytes) => {
    expect((await exchange(api.url, bytes)).statuses).toEqual([200]);
  });

  it('never carries an error in the middle of a file', async () => {
    const answer = client.capture({ url: 'https://example.com/' }, { headers: { prefer: 'wait=1' } });
    const { id, succeed } = await api.claim();
    await succeed(Buffer.alloc(30_000_000, 'x'));
    await (await answer).arrayBuffer();
    const socket = await openSocket(api.url);
    socket.write(`GET /v1/captures/${id}/result HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
    await once(socket, 'readable');
    socket.write('NONSENSE\r\n\r\n');
    const { text } = await readAnswer(socket);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).not.toContain('invalid_request');
  });
});
