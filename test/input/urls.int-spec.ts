import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FORBIDDEN, PUBLIC } from '../support/addresses.js';
import { startApi, type TestApi } from '../support/api.js';
import { json, type Client } from '../support/client.js';
import { NO_TRACES, refusalOf, SECRET, tracesIn } from './refusal.js';

const label = (length: number): string => 'a'.repeat(length);
const longHost = `${Array.from({ length: 4 }, () => label(62)).join('.')}.aa`;

/** Rows 1 to 11, 25 and 42 of the bad-input matrix: not the URL of a page. */
const INVALID: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a number', 5],
  ['a list', ['https://example.com/']],
  ['an object', { href: 'https://example.com/' }],
  ['empty', ''],
  ['white space', '   '],
  ['without a scheme', 'example.com'],
  ['without a scheme, with a port', 'example.com:80'],
  ['relative to a scheme', '//example.com'],
  ['a path', '/index.html'],
  ['without a host', 'http://'],
  ['of an open bracket', 'http://[::1'],
  ['with a port past the last', 'http://a:65536/'],
  ['with five numbers', 'http://1.2.3.4.5/'],
  ['with numbers past 255', 'http://256.256.256.256/'],
  ['with a line feed in its scheme', 'ht\ntp://example.com/'],
  ['with a tab in its host', 'http://exam\tple.com/'],
  ['with a carriage return at its end', 'http://example.com/\r'],
  ['with a tab before it', '\thttp://example.com/'],
  ['with NUL', 'http://example.com/\0'],
  ['with NUL in its host', 'http://exa\0mple.com/'],
  ['with DEL', 'http://example.com/\x7f'],
  ['with a lone high surrogate', 'http://example.com/\ud800'],
  ['with a lone low surrogate', 'http://example.com/\udc00x'],
  ['of 2,049 characters', `http://example.com/${label(2_030)}`],
  ['with a label of 64 characters', `http://${label(64)}.com/`],
  ['with a host of 254 characters', `http://${longHost}/`],
  ['with an empty label', 'http://a..b/'],
  ['with nothing but dots', 'http://.../'],
  ['of a file', 'file:///etc/passwd'],
  ['of a file, in capitals', 'FILE:/etc/passwd'],
  ['of a file, with backslashes', 'file:\\\\etc\\passwd'],
  ['view-source', 'view-source:http://example.com/'],
  ['chrome', 'chrome://crash'],
  ['devtools', 'devtools://devtools/bundled/inspector.html'],
  ['about', 'about:blank'],
  ['javascript', 'javascript:alert(1)'],
  ['javascript in capitals', 'JavaScript://example.com/%0aalert(1)'],
  ['data', 'data:text/html,<p>'],
  ['blob', 'blob:https://example.com/1'],
  ['filesystem', 'filesystem:https://example.com/temporary/x'],
  ['ftp', 'ftp://example.com/'],
  ['gopher', 'gopher://example.com/'],
  ['ws', 'ws://example.com/'],
  ['wss', 'wss://example.com/'],
  ['dict', 'dict://example.com/'],
  ['ldap', 'ldap://example.com/'],
  ['with a password', `http://user:${SECRET}@example.com/`],
  ['with a user name', `http://${SECRET}@example.com/`],
  ['whose host is behind an @', 'http://example.com@127.0.0.1/'],
  ['with a zone of IPv6', 'http://[fe80::1%25eth0]/'],
  ['of Punycode that stands for nothing', 'http://xn--/'],
];

describe('the address of a page', () => {
  let api: TestApi;
  let client: Client;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
  });

  afterAll(async () => {
    await api.close();
  });

  describe('is refused and leaves no trace,', () => {
    afterEach(async () => {
      expect(await tracesIn(api)).toEqual(NO_TRACES);
    });

    it('when it is missing', async () => {
      expect(await refusalOf(client.capture({}))).toBe('400 invalid_request /url');
    });

    it.each(INVALID)('when it is %s', async (_, url) => {
      expect(await refusalOf(client.capture({ url }))).toBe('400 invalid_request /url');
      expect(await refusalOf(client.capture({ html: '<p>', base_url: url }))).toBe(
        '400 invalid_request /base_url',
      );
    });

    it.each(FORBIDDEN)('when it is %s, %s', async (url) => {
      expect(await refusalOf(client.capture({ url }))).toBe('403 target_forbidden');
      expect(await refusalOf(client.capture({ html: '<p>', base_url: url }))).toBe('403 target_forbidden');
    });

    it('in the same words, whatever the reason', async () => {
      const problems = await Promise.all(
        ['http://127.0.0.1/', 'http://postgres/', 'http://10.0.0.1:22/'].map(async (url) => {
          const { request_id: _, ...problem } = await json(client.capture({ url }));
          return problem;
        }),
      );
      expect(new Set(problems.map((problem) => JSON.stringify(problem))).size).toBe(1);
      expect(problems[0]?.detail).toMatch(/^The target, or .* is not a public web address/);
    });
  });

  it.each(PUBLIC)('%s is stored as %s', async (url, canonical) => {
    const answer = client.capture({ url, response: 'json' });
    await (await api.claim()).succeed();
    expect(await json(answer)).toMatchObject({ url: canonical, options: { url } });
  });
});
