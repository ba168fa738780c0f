import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FORMAT_NAMES } from '@app/capture';
import { startApi, type TestApi } from '../support/api.js';
import { json, type Client, type Json } from '../support/client.js';
import { NO_TRACES, refusalOf, SECRET, tracesIn } from './refusal.js';

const url = 'https://www.example.com/';
const pdf = { format: 'pdf' };
const cookie = { name: 'session', value: SECRET };

/** A row of the bad-input matrix: its number, the options, and the pointers of the faults. */
type Row = readonly [number, Json, ...string[]];

const each = (row: number, field: string, values: readonly unknown[], rest: Json = {}): Row[] =>
  values.map((value) => [row, { ...rest, [field]: value }, `/${field}`]);

const ROWS: readonly Row[] = [
  [43, { urll: url }, '/urll'],
  [43, { launchArgs: ['--no-sandbox'] }, '/launchArgs'],
  [43, { proxy: 'http://evil.example' }, '/proxy'],
  [43, { path: '/etc/passwd' }, '/path'],
  [43, { URL: url, Format: 'png' }, '/URL', '/Format'],
  [43, { '': 1 }, '/'],
  [43, { 'a/b~c': 1 }, '/a~1b~0c'],
  [43, { '\ud800\0': 1 }, '/\ufffd\0'],
  [43, { hasOwnProperty: 1, toString: 'x', valueOf: 1 }, '/hasOwnProperty', '/toString', '/valueOf'],
  ...each(44, 'format', ['exe', '', 'PNG', 'gif', 0, null, ['png'], { png: true }]),
  ...each(45, 'viewport_width', [0, -1, 1.5, 1e9, '800', null, 1e308, true, [800]]),
  ...each(45, 'viewport_height', [0, -1, 1.5, 1e9, '800', null]),
  [45, { viewport_width: 7_680, viewport_height: 7_680, device_scale_factor: 2 }, '/viewport_height'],
  ...each(46, 'device_scale_factor', [0, 100, -1, '2', null]),
  ...each(47, 'quality', [101, 0, -1, 1.5, '80'], { format: 'jpeg' }),
  [47, { quality: 80 }, '/quality'],
  [47, { quality: 80, format: 'pdf' }, '/quality'],
  [47, { pdf_scale: 1 }, '/pdf_scale'],
  [47, { ...pdf, full_page: true }, '/full_page'],
  [47, { format: 'jpeg', omit_background: true }, '/omit_background'],
  ...each(48, 'timeout_ms', [0, -5, 1e12, 999, 120_001, '5000', 1_000.5]),
  ...each(48, 'navigation_timeout_ms', [0, -5, 1e12]),
  [49, { delay_ms: 5_000, timeout_ms: 5_000 }, '/delay_ms'],
  ...each(49, 'delay_ms', [-1, 30_001, 0.5]),
  ...each(50, 'selector', ['', 'p'.repeat(5_000), 'div[', '>', ':::', 'p,', 5, '\0', 'p\ud800']),
  ...each(50, 'wait_for_selector', ['', 'p'.repeat(5_000), 'div[']),
  ...each(50, 'hide_selectors', ['p', [''], ['div['], [5], [null], Array(51).fill('p')]),
  [51, { clip_x: 0, clip_y: 0, clip_width: 0, clip_height: 10 }, '/clip_width'],
  [51, { clip_x: 0, clip_y: 0, clip_width: 10, clip_height: -1 }, '/clip_height'],
  [51, { clip_x: -1, clip_y: 0, clip_width: 10, clip_height: 10 }, '/clip_x'],
  [51, { clip_x: 0, clip_y: 0 }, '/clip_width', '/clip_height'],
  [51, { clip_x: 0, clip_y: 0, clip_width: 1e9, clip_height: 1 }, '/clip_width'],
  [51, { full_page: true, selector: 'p' }, '/selector'],
  ...each(52, 'headers', [
    { 'X A': 'b' },
    { X: `a\r\nB: ${SECRET}` },
    { X: '日本' },
    { X: 'a\0' },
    { X: '\ud800' },
    { 日本: 'x' },
    { '': 'x' },
    { 'X:': 'x' },
    { X: 5 },
    { X: null },
    { X: { a: 'b' } },
    ['X: a'],
    'X: a',
    null,
  ]),
  ...each(
    53,
    'headers',
    [
      'Host',
      'Content-Length',
      'Connection',
      'Proxy-Authorization',
      'Transfer-Encoding',
      'Cookie2',
      'Sec-Fetch-Site',
      'Upgrade',
      'Cookie',
      'TE',
    ].map((name) => ({ [name]: SECRET })),
  ),
  ...each(54, 'headers', [
    Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`X-${i}`, ''])),
    { X: 'a'.repeat(17_000) },
    { 'X-A': '1', 'x-a': '2' },
  ]),
  [55, { cookies: [{ ...cookie, domain: 'other.example' }] }, '/cookies/0/domain'],
  [55, { cookies: [{ ...cookie, domain: 'com' }] }, '/cookies/0/domain'],
  [55, { cookies: [cookie, { ...cookie, name: 'a;b' }] }, '/cookies/1/name'],
  [55, { cookies: [{ value: SECRET }] }, '/cookies/0/name'],
  [55, { cookies: [{ ...cookie, value: SECRET.repeat(1_500) }] }, '/cookies/0/value'],
  [55, { cookies: [{ ...cookie, value: `${SECRET}\r\nSet-Cookie: x` }] }, '/cookies/0/value'],
  [55, { cookies: [{ ...cookie, value: `${SECRET}\ud800` }] }, '/cookies/0/value'],
  [55, { cookies: [{ ...cookie, httpOnly: true }] }, '/cookies/0/httpOnly'],
  [55, { cookies: ['a=b', null, 5, []] }, '/cookies/0', '/cookies/1', '/cookies/2', '/cookies/3'],
  [55, { cookies: Array(101).fill(cookie) }, '/cookies'],
  ...each(56, 'pdf_margin_top', ['-1in', '', '1', '1em', '1e9mm', 'calc(1in)', 5], pdf),
  ...each(56, 'pdf_page_ranges', ['9-1', '', '0', '-', '1-', 'a', '1;2', '1-2-3'], pdf),
  [56, { ...pdf, pdf_width: '0in', pdf_height: '0in' }, '/pdf_width', '/pdf_height'],
  [56, { ...pdf, pdf_width: '10in' }, '/pdf_width'],
  ...each(56, 'pdf_scale', [3, 0, -1, '1'], pdf),
  ...each(56, 'pdf_paper', ['A4', 'a99', ''], pdf),
  ...each(
    57,
    'pdf_header_html',
    [
      '<script>alert(1)</script>',
      '<SCRIPT src=//evil.example></SCRIPT>',
      '<img src="file:///etc/passwd">',
      '<img src="http://169.254.169.254/">',
      '<style>@import "x"</style>',
      '<p style="background: url(file:///etc/passwd)">',
      '<img src=x onerror=alert(1)>',
      '<iframe src=x>',
      '\0',
    ],
    pdf,
  ),
  ...each(57, 'pdf_footer_html', ['<script>', '<img src="file:///etc/passwd">'], pdf),
  ...each(58, 'user_agent', ['a\nb', 'a\r\nX: y', '', 'Ünicode', 'a'.repeat(1_001), '\0']),
  ...each(58, 'locale', ['Mars/Olympus', 'de_DE', '', 'd'.repeat(36)]),
  ...each(58, 'timezone', ['Mars/Olympus', '+01:00', '', '../../etc/passwd', 'E'.repeat(101)]),
  ...each(58, 'device', ['nokia', '', 'x'.repeat(101), 5]),
  ...each(58, 'latitude', [91, -91, '5', null], { longitude: 0 }),
];

/** Every option that takes a text, with a value that is valid except for what is added to it. */
const TEXTS: Readonly<Record<string, (bad: string) => unknown>> = {
  url: (bad) => `https://example.com/${bad}`,
  html: (bad) => `<p>${bad}`,
  base_url: (bad) => `https://example.com/${bad}`,
  device: (bad) => `iphone-15-pro${bad}`,
  selector: (bad) => `p${bad}`,
  wait_for_selector: (bad) => `p${bad}`,
  wait_for_function: (bad) => `true${bad}`,
  fail_on_status: (bad) => [`404${bad}`],
  fail_if_text: (bad) => `x${bad}`,
  fail_if_text_missing: (bad) => `x${bad}`,
  timezone: (bad) => `Europe/Berlin${bad}`,
  locale: (bad) => `de-DE${bad}`,
  user_agent: (bad) => `Probe${bad}`,
  headers: (bad) => ({ 'X-A': `b${bad}` }),
  basic_auth_username: (bad) => `ada${bad}`,
  basic_auth_password: (bad) => `pass${bad}`,
  css: (bad) => `p { color: red } ${bad}`,
  js: (bad) => `return 1 ${bad}`,
  hide_selectors: (bad) => [`p${bad}`],
  mask_selectors: (bad) => [`p${bad}`],
  click_selector: (bad) => `p${bad}`,
  secrets: (bad) => ({ password: `correct horse${bad}` }),
  recording: (bad) => ({ steps: [{ type: 'change', selectors: [['p']], value: `a${bad}` }] }),
  scroll_to_selector: (bad) => `p${bad}`,
  block_resource_types: (bad) => [`image${bad}`],
  block_urls: (bad) => [`*${bad}`],
  reference: (bad) => `order${bad}`,
  filename: (bad) => `page${bad}`,
  format: (bad) => `png${bad}`,
  wait_until: (bad) => `load${bad}`,
  media_type: (bad) => `screen${bad}`,
  response: (bad) => `file${bad}`,
  sticky: (bad) => `keep${bad}`,
};

describe('options', () => {
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
  });

  it.each(ROWS)('that are refused, row %i: %j', async (_, options, ...pointers) => {
    const refusal = await refusalOf(client.capture({ url, ...options }));
    expect(refusal).toBe(['400 invalid_request', ...pointers].join(' '));
  });

  it.each(Object.entries(TEXTS))('do not take NUL or a lone surrogate in %s', async (name, withBad) => {
    const rest = name === 'html' ? {} : name === 'base_url' ? { html: '<p>' } : { url };
    for (const bad of ['\0', '\ud800', '\udfff']) {
      const refusal = await refusalOf(client.capture({ ...rest, [name]: withBad(bad) }));
      expect([bad, refusal]).toEqual([bad, `400 invalid_request /${name}`]);
    }
  });

  it('do not take NUL or a lone surrogate in a step', async () => {
    for (const bad of ['\0', '\ud800']) {
      const steps = [{ type: 'fill', selector: 'p', value: `a${bad}` }];
      expect(await refusalOf(client.capture({ url, actions: steps }))).toBe(
        '400 invalid_request /actions/0/value',
      );
    }
  });

  it.each([
    ['pdf_header_html', '<'.repeat(150_000), pdf],
    ['pdf_footer_html', `<${' '.repeat(900_000)}`, pdf],
    ['device', 'a'.repeat(1_000_000), {}],
    ['selector', ':not('.repeat(200_000), {}],
    ['selector', '['.repeat(1_000_000), {}],
    ['locale', 'de-'.repeat(300_000), {}],
    ['timezone', 'E'.repeat(1_000_000), {}],
    ['filename', ' .'.repeat(500_000), {}],
    ['pdf_page_ranges', ` 1 ${' '.repeat(1_000_000)}`, pdf],
    ['block_urls', [`${'*'.repeat(100_000)}`], {}],
    ['fail_on_status', ['4'.repeat(100_000)], {}],
    ['u'.repeat(10_000), 1, {}],
  ])(
    'are refused at once, however long they are: %s',
    async (name, value, rest) => {
      const refusal = await refusalOf(client.capture({ url, ...rest, [name]: value }));
      expect(refusal).toBe(`400 invalid_request /${name.slice(0, 100)}`);
    },
    // Far more than the check takes, and far less than one whose time grows with the square of the length.
    10_000,
  );

  it('are refused while they arrive when no text may be so long', async () => {
    for (const [options, pointer] of [
      [{ block_urls: ['*'.repeat(1_000_000)] }, '/block_urls/0'],
      [{ secrets: { password: 'p'.repeat(1_000_000) } }, '/secrets/password'],
      [{ ['u'.repeat(1_000_000)]: 1 }, ''],
    ] as const) {
      expect((await refusalOf(client.capture({ url, ...options }))).trim()).toBe(
        `400 invalid_request ${pointer}`.trim(),
      );
    }
  });

  it('report every fault at once, how to correct it, and the nearest name of an unknown field', async () => {
    const problem = await json(
      client.capture({ url, format: 'exe', viewport_width: 0, timeout_ms: 0, fulll_page: true }),
    );
    expect(problem.errors).toEqual([
      {
        pointer: '/fulll_page',
        code: 'unknown_field',
        detail: 'is not a known field; did you mean full_page?',
      },
      { pointer: '/format', code: 'not_allowed', detail: `must be one of ${FORMAT_NAMES.join(', ')}` },
      {
        pointer: '/viewport_width',
        code: 'out_of_range',
        detail: 'must be a whole number between 16 and 7680',
      },
      {
        pointer: '/timeout_ms',
        code: 'out_of_range',
        detail: 'must be a whole number between 1000 and 120000',
      },
    ]);
  });
});
