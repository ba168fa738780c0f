import { gzipSync, brotliCompressSync, deflateSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { JSON_LIMIT_BYTES } from '../../apps/api/src/http/body/json-body.js';
import { startApi, type TestApi } from '../support/api.js';
import type { Client } from '../support/client.js';
import { openSocket, readAnswer } from '../support/raw-http.js';
import { NO_TRACES, refusalOf, SECRET, tracesIn } from './refusal.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const nested = (depth: number, open: string, close: string, inner = '1'): string =>
  open.repeat(depth) + inner + close.repeat(depth);
const bomb = Buffer.alloc(50_000_000, ' ');

/** Rows 59 to 65 of the bad-input matrix. */
describe('a body', () => {
  let api: TestApi;
  let client: Client;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
  });

  afterAll(async () => {
    await api.close();
  });

  afterEach(async () => {
    expect(await tracesIn(api)).toEqual(NO_TRACES);
    expect((await client.get('/livez')).status).toBe(200);
  });

  const post = (body: BodyInit | null, headers: Record<string, string> = JSON_TYPE) =>
    refusalOf(client.send('POST', '/v1/capture', { body, headers }));

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['half an object', `{"url":"https://${SECRET}`],
    ['a trailing comma', '{"url":"https://example.com/",}'],
    ['single quotes', "{'url':'https://example.com/'}"],
    ['a comment', '{/* */}'],
    ['NaN', '{"viewport_width":NaN}'],
    ['a raw NUL in a text', '{"url":"https://example.com/\0"}'],
    ['a raw line feed in a text', '{"url":"https://example.com/\n"}'],
    ['half an escape', '{"url":"\\ud8"}'],
    ['two values', '{}{}'],
    ['brackets that stay open', '['.repeat(30)],
    ['a form', 'url=https%3A%2F%2Fexample.com'],
  ])('of %s is refused without quoting the parser', async (_, body) => {
    expect(await post(body)).toBe('400 invalid_request');
  });

  it.each([
    ['an overlong slash', [0xc0, 0xaf]],
    ['half a character', [0xc3]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['no UTF-8 at all', [0xff, 0xfe]],
    ['UTF-16', [0x7b, 0x00, 0x7d, 0x00]],
  ])('with %s in it is refused', async (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"url":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(await post(body)).toBe('400 invalid_request');
  });

  it.each(['[]', '[{}]', '5', '"text"', 'null', 'true', '1e999'])(
    'of %s, which is not an object, is refused',
    async (body) => {
      expect(await post(body)).toMatch(/^400 invalid_request/);
    },
  );

  it.each([
    ['text/xml', 'text/xml'],
    ['text/plain', 'text/plain'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['a form of parts', 'multipart/form-data; boundary=x'],
    ['a look-alike', 'application/jsonx'],
    ['two types', 'application/json, text/xml'],
    ['UTF-16', 'application/json; charset=utf-16'],
    ['Latin 1', 'application/json; charset=iso-8859-1'],
    ['an unknown charset', 'application/json; charset=x'],
    ['nonsense', ';;;'],
  ])('of the type %s is refused', async (_, type) => {
    expect(await post('{}', { 'content-type': type })).toBe('415 unsupported_media_type');
  });

  it('without a type is refused', async () => {
    expect(await post(Buffer.from('{}'), {})).toBe('415 unsupported_media_type');
  });

  it.each([
    ['objects', nested(10_000, '{"a":', '}')],
    ['lists', nested(10_000, '[', ']')],
    ['half a million lists', nested(500_000, '[', ']')],
    ['lists that stay open', '['.repeat(1_000_000)],
    ['lists in an option', `{"headers":${nested(10_000, '[', ']')}}`],
    ['objects in a list of an option', `{"cookies":[${nested(100_000, '{"a":', '}')}]}`],
  ])('that nests deeply in %s is refused', async (_, body) => {
    expect(await post(body)).toMatch(/^400 invalid_request \//);
  });

  it.each([
    ['{"__proto__":{"url":"https://example.com/"}}', '/__proto__'],
    ['{"constructor":{"prototype":{"admin":true}}}', '/constructor'],
    ['{"prototype":{"admin":true}}', '/prototype'],
    ['{"headers":{"__proto__":"x"}}', '/headers/__proto__'],
    ['{"headers":{"constructor":"x"}}', '/headers/constructor'],
    ['{"cookies":[{"__proto__":{"name":"a","value":"b"}}]}', '/cookies/0/__proto__'],
  ])('cannot reach a prototype by %s', async (body, pointer) => {
    expect(await post(body)).toBe(`400 invalid_request ${pointer}`);
    expect({}).not.toHaveProperty('admin');
    expect({}).not.toHaveProperty('url');
  });

  it.each([
    ['many fields', Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, 1]))],
    ['a long list', { block_urls: Array(200_000).fill('*') }],
    ['a wide map', { headers: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`X-${i}`, ''])) }],
    ['a list of lists', { cookies: Array(200_000).fill([]) }],
  ])('of %s is refused', async (_, body) => {
    expect(await post(JSON.stringify(body))).toMatch(/^400 invalid_request/);
  });

  describe('past 8 MB is refused', () => {
    it('by one byte', async () => {
      // What is read of it would be refused by itself.
      const body = JSON.stringify({ html: '' });
      const html = 'x'.repeat(JSON_LIMIT_BYTES - body.length);
      expect(await post(JSON.stringify({ html, x: 1 }))).toBe('413 payload_too_large');
      expect(await post(JSON.stringify({ html: `${html}x` }))).toBe('413 payload_too_large');
    });

    it('before its end when it has no Content-Length', async () => {
      const socket = await openSocket(api.url);
      const { key } = client as unknown as { key: string };
      socket.write(
        `POST /v1/capture HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      const chunk = Buffer.from(`4e20\r\n${' '.repeat(20_000)}\r\n`);
      for (let i = 0; i < 430; i++) socket.write(chunk);
      const { statuses, body } = await readAnswer(socket);
      expect([statuses, body]).toEqual([[413], expect.stringContaining('"payload_too_large"')]);
      socket.destroy();
    });

    it.each([
      ['gzip', gzipSync(bomb)],
      ['deflate', deflateSync(bomb)],
      ['br', brotliCompressSync(bomb)],
    ])('when it is that long once decoded from %s', async (encoding, body) => {
      expect(body.length).toBeLessThan(100_000);
      expect(await post(body, { ...JSON_TYPE, 'content-encoding': encoding })).toBe('413 payload_too_large');
    });
  });

  it.each([
    ['not what its encoding says', 'gzip', Buffer.from('{}'), '400 invalid_request'],
    ['half of what it was', 'gzip', gzipSync('{}').subarray(0, 12), '400 invalid_request'],
    ['compressed by something else', 'zip', Buffer.from('{}'), '415 unsupported_media_type'],
    ['compressed twice', 'gzip, gzip', gzipSync(gzipSync('{}')), '415 unsupported_media_type'],
    ['encoded by a name of every object', 'constructor', Buffer.from('{}'), '415 unsupported_media_type'],
  ])('that is %s is refused', async (_, encoding, body, refusal) => {
    expect(await post(body, { ...JSON_TYPE, 'content-encoding': encoding })).toBe(refusal);
  });
});
