import { describe, expect, it } from '@jest/globals';
import { AppError, type Fault } from '@app/kernel';
import { parseOptions } from './parse-options.js';

const url = 'https://www.example.com/';

function faultsOf(raw: Record<string, unknown>): readonly Fault[] {
  try {
    parseOptions(raw);
    return [];
  } catch (thrown) {
    return AppError.from(thrown).facts.errors ?? [];
  }
}

/** `/pointer code` of each fault. */
const codesOf = (raw: Record<string, unknown>): string[] =>
  faultsOf(raw).map(({ pointer, code }) => `${pointer} ${code}`);

const label = (length: number): string => 'a'.repeat(length);
const longHost = `${Array.from({ length: 4 }, () => label(62)).join('.')}.aa`;

describe('the target', () => {
  it.each([
    [undefined, 'required'],
    [null, 'wrong_type'],
    [1, 'wrong_type'],
    [['https://example.com/'], 'wrong_type'],
    ['', 'wrong_length'],
  ])('is refused when url is %j', (value, code) => {
    const raw = value === undefined ? {} : { url: value };
    expect(codesOf(raw)).toEqual([`/url ${code}`]);
  });

  it.each([
    'example.com',
    '//example.com',
    '/path',
    'http://',
    'http://[::1',
    'http://a:65536/',
    'http://1.2.3.4.5/',
    'http://256.256.256.256/',
    'http://[fe80::1%25eth0]/',
    'http://xn--/',
    '\thttps://example.com/',
    'ht\ntp://example.com/',
    'https://exam\rple.com/',
    'https://example.com/\t',
    'http://a..b/',
    'http://.../',
    'http://.example.com/',
    `http://${label(64)}.com/`,
    `http://${longHost}/`,
    'file:///etc/passwd',
    'FILE:/etc/passwd',
    'file:\\\\etc\\passwd',
    'view-source:http://example.com/',
    'chrome://crash',
    'devtools://devtools/bundled/inspector.html',
    'about:blank',
    'javascript:alert(1)',
    'data:text/html,<p>',
    'blob:https://example.com/1',
    'filesystem:https://example.com/x',
    'ftp://example.com/',
    'gopher://example.com/',
    'ws://example.com/',
    'dict://example.com/',
    'ldap://example.com/',
    'http://user:pass@example.com/',
    'http://user@example.com/',
    'http://:pass@example.com/',
    'http://example.com@127.0.0.1/',
  ])('is refused when url is %j', (value) => {
    expect(codesOf({ url: value })).toEqual(['/url invalid_value']);
    expect(codesOf({ html: '<p>', base_url: value })).toEqual(['/base_url invalid_value']);
  });

  it('is refused with NUL or a lone surrogate', () => {
    expect(codesOf({ url: 'https://example.com/\0' })).toEqual(['/url invalid_characters']);
    expect(codesOf({ url: 'https://example.com/\ud800' })).toEqual(['/url invalid_characters']);
  });

  it('takes a url of 2,048 characters and no more', () => {
    const long = `https://example.com/${'a'.repeat(2_028)}`;
    expect(faultsOf({ url: long })).toEqual([]);
    expect(codesOf({ url: `${long}a` })).toEqual(['/url wrong_length']);
  });

  it.each([
    'http://example.com',
    'https://example.com:8443/a?b#c',
    'http://bücher.example/',
    `http://${label(63)}.com./`,
    'http://[2606:4700::1111]/',
    'http://127.0.0.1/',
    'https://example.com/a b',
  ])('takes %s', (value) => {
    expect(faultsOf({ url: value })).toEqual([]);
  });

  it('never repeats a password', () => {
    expect(JSON.stringify(faultsOf({ url: 'http://user:hunter2@example.com/' }))).not.toContain('hunter2');
  });

  it('takes html instead, up to 1 MB of UTF-8', () => {
    expect(faultsOf({ html: '<p>', base_url: url })).toEqual([]);
    expect(faultsOf({ html: 'a'.repeat(1_048_576) })).toEqual([]);
    expect(codesOf({ html: 'a'.repeat(1_048_577) })).toEqual(['/html wrong_length']);
    expect(codesOf({ html: 'é'.repeat(600_000) })).toEqual(['/html invalid_value']);
    expect(codesOf({ html: '' })).toEqual(['/html wrong_length']);
  });

  it('is exactly one of url and html', () => {
    expect(codesOf({ url, html: '<p>' })).toEqual(['/html conflict']);
    expect(codesOf({ url, base_url: url })).toEqual(['/base_url conflict']);
  });
});

describe('options of one field', () => {
  it.each([
    ['viewport_width', [16, 7_680], [0, -1, 15, 1.5, 1e9, '800', Number.NaN, null, 7_681]],
    ['viewport_height', [16, 7_680], [0, -1, 15, 1.5, 1e9, '800', Number.NaN, 7_681]],
    ['device_scale_factor', [0.5, 1.25, 4], [0, 0.4, 100, '2']],
    ['device', ['iphone-15-pro', 'iPhone-15-PRO', 'desktop-1920x1080'], ['', 'nokia', 15]],
    ['mobile', [true, false], ['true', 0, null]],
    ['touch', [true, false], ['false', 1]],
    ['landscape', [true, false], ['yes']],
    ['dark_mode', [true, false], ['true']],
    ['reduced_motion', [true, false], [1]],
    ['javascript', [true, false], ['false']],
    ['animations', ['finish', 'allow', 'freeze'], ['pause', true, '']],
    ['bypass_csp', [true, false], ['']],
    ['media_type', ['screen', 'print'], ['tv', 'SCREEN']],
    [
      'timezone',
      ['Europe/Berlin', 'UTC', 'america/new_york', 'Etc/GMT+5'],
      ['Mars/Olympus', '+01:00', '', 'Berlin', 'Europe/Berlin\n'],
    ],
    ['locale', ['de', 'de-DE', 'zh-Hant-TW', 'pt-br'], ['Mars/Olympus', 'e', 'de_DE', 'de-DE\n', '']],
    ['user_agent', ['Probe/1.0 (x; y)'], ['Probe\n', 'Probe\r\nX: y', 'Ünicode', '', 'a'.repeat(1_001)]],
    ['reference', ['order 1', 'ü'.repeat(200)], ['', 'a'.repeat(201), 5, '\0']],
    ['response', ['file', 'json'], ['xml']],
    ['expires_in_s', [60, 31_536_000], [59, 31_536_001, 1.5, '60']],
    [
      'filename',
      ['page.png', 'Übersicht 2026', '文件.pdf', 'a.b-c_d'],
      ['../x', 'a/b', 'a\\b', '.hidden', 'a\r\nb', 'a"b', '..', 'x.', ' x', 'a\u202egnp.exe', 'C:x'],
    ],
    ['css', ['body { color: red }'], ['', 'a'.repeat(100_001), 1]],
    ['js', ['return 1'], ['', 'a'.repeat(100_001), ['x']]],
    ['hide_selectors', [[], ['.ad', '#x > p, a:hover']], ['.ad', ['div['], [''], [1], Array(51).fill('p')]],
    ['mask_selectors', [['input[type=password]']], [['p', '>>']]],
    ['click_selector', ['button:not(.x)'], ['', 'div[', 'p'.repeat(5_000), 'p,']],
    ['scroll_to_selector', ['#a'], ['', '::before']],
    ['block_resource_types', [[], ['image', 'font']], [['document'], ['Image'], 'image']],
    ['block_urls', [['*://ads.example/*'], ['*']], [[''], '*', Array(101).fill('*')]],
    ['basic_auth_username', [], ['a:b', '']],
  ] as const)('%s takes what its rule says and nothing else', (name, good, bad) => {
    for (const value of good)
      expect([name, value, codesOf({ url, [name]: value })]).toEqual([name, value, []]);
    for (const value of bad) {
      expect([name, value, faultsOf({ url, [name]: value })[0]?.pointer]).toEqual([name, value, `/${name}`]);
    }
  });

  it('states the range of a number', () => {
    expect(faultsOf({ url, viewport_width: 0 })[0]?.detail).toBe(
      'must be a whole number between 16 and 7680',
    );
  });

  it('suggests the device that was meant', () => {
    const detailOf = (device: string) => faultsOf({ url, device })[0]?.detail;
    expect(detailOf('iphone15pro')).toBe('is not a known device; did you mean iphone-15-pro?');
    expect(detailOf('iPhone 16 Pro Maxx')).toContain('did you mean iphone-16-pro-max?');
    for (const id of ['iphone-99', 'iPhone 18']) expect(detailOf(id)).toContain('did you mean iphone-17?');
    expect(detailOf('iphone-99-pro')).toContain('did you mean iphone-17-pro?');
    expect(detailOf('toaster of doom')).toBe('is not a known device; GET /v1/devices lists them');
  });
});

describe('options of several fields', () => {
  it('limit the pixels of the window', () => {
    const large = { viewport_width: 7_680, viewport_height: 7_680 };
    expect(faultsOf({ url, ...large })).toEqual([]);
    expect(codesOf({ url, ...large, device_scale_factor: 2 })).toEqual(['/viewport_height out_of_range']);
    const device = { device: 'pixel-5', viewport_width: 7_000, viewport_height: 7_000 };
    expect(codesOf({ url, ...device })).toEqual(['/viewport_height out_of_range']);
  });

  it('take a position whole', () => {
    expect(faultsOf({ url, latitude: 0, longitude: 0, accuracy: 0 })).toEqual([]);
    expect(codesOf({ url, latitude: 0 })).toEqual(['/latitude conflict']);
    expect(codesOf({ url, longitude: 0 })).toEqual(['/longitude conflict']);
    expect(codesOf({ url, accuracy: 5 })).toEqual(['/accuracy conflict']);
    expect(codesOf({ url, latitude: 91, longitude: 0 })).toEqual(['/latitude out_of_range']);
  });

  it('take basic authentication whole, and once', () => {
    const login = { basic_auth_username: 'ada', basic_auth_password: '' };
    expect(faultsOf({ url, ...login })).toEqual([]);
    expect(codesOf({ url, basic_auth_username: 'ada' })).toEqual(['/basic_auth_username conflict']);
    expect(codesOf({ url, basic_auth_password: 'x' })).toEqual(['/basic_auth_password conflict']);
    expect(codesOf({ url, ...login, headers: { AUTHORIZATION: 'x' } })).toEqual([
      '/basic_auth_username conflict',
    ]);
  });

  it('refuse a session for html, which belongs to no site', () => {
    const session = {
      headers: { 'X-A': '1' },
      cookies: [],
      basic_auth_username: 'a',
      basic_auth_password: 'b',
    };
    expect(codesOf({ html: '<p>', ...session })).toEqual([
      '/headers conflict',
      '/cookies conflict',
      '/basic_auth_username conflict',
      '/basic_auth_password conflict',
    ]);
    expect(faultsOf({ html: '<p>', bypass_csp: true })).toEqual([]);
  });
});

describe('headers', () => {
  it.each([
    [{ 'X A': 'b' }],
    [{ '': 'b' }],
    [{ 'X:': 'b' }],
    [{ X: 'a\r\nB: c' }],
    [{ X: '日本' }],
    [{ X: 'é' }],
    [{ X: 'a\0' }],
    [{ 日本: 'x' }],
    [{ Host: 'x' }],
    [{ 'content-LENGTH': '5' }],
    [{ Connection: 'close' }],
    [{ 'Proxy-Authorization': 'x' }],
    [{ 'Transfer-Encoding': 'chunked' }],
    [{ Cookie2: 'x' }],
    [{ 'Sec-Fetch-Site': 'none' }],
    [{ Upgrade: 'h2c' }],
    [{ Cookie: 'a=b' }],
    [{ 'X-A': '1', 'x-a': '2' }],
    [{ X: 1 }],
    [{ X: null }],
    [['X']],
    [Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`X-${i}`, '']))],
    [{ X: 'a'.repeat(17_000) }],
  ])('refuse %j', (headers) => {
    expect(pointersOfHeaders(headers)).toEqual(['/headers']);
  });

  it.each([
    [{}],
    [{ Authorization: 'Bearer x', Accept: '*/*', 'X-Empty': '' }],
    [Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`X-${i}`, 'v']))],
  ])('take %j', (headers) => {
    expect(pointersOfHeaders(headers)).toEqual([]);
  });

  it('never repeat a value', () => {
    expect(JSON.stringify(faultsOf({ url, headers: { 'X-Key': 'hunter2é' } }))).not.toContain('hunter2');
  });

  const pointersOfHeaders = (headers: unknown) => faultsOf({ url, headers }).map(({ pointer }) => pointer);
});

describe('cookies', () => {
  const good = { name: 'session', value: 'a1b2' };

  it.each([
    [{ value: 'x' }, '/name required'],
    [{ name: 'x' }, '/value required'],
    [{ ...good, name: '' }, '/name wrong_length'],
    [{ ...good, name: 'a;b' }, '/name invalid_value'],
    [{ ...good, name: 'a=b' }, '/name invalid_value'],
    [{ ...good, name: 'a b' }, '/name invalid_value'],
    [{ ...good, value: 'a;b' }, '/value invalid_value'],
    [{ ...good, value: 'a\r\nb' }, '/value invalid_value'],
    [{ ...good, value: 'a'.repeat(10_000) }, '/value wrong_length'],
    [{ ...good, value: 'a'.repeat(4_090) }, '/value wrong_length'],
    [{ ...good, domain: 'other.com' }, '/domain invalid_value'],
    [{ ...good, domain: 'com' }, '/domain invalid_value'],
    [{ ...good, domain: 'sub.www.example.com' }, '/domain invalid_value'],
    [{ ...good, domain: 'ample.com' }, '/domain invalid_value'],
    [{ ...good, domain: 'http://example.com' }, '/domain invalid_value'],
    [{ ...good, path: 'a' }, '/path invalid_value'],
    [{ ...good, path: '/;x' }, '/path invalid_value'],
    [{ ...good, expires: -1 }, '/expires out_of_range'],
    [{ ...good, same_site: 'none' }, '/same_site conflict'],
    [{ ...good, same_site: 'Lax' }, '/same_site not_allowed'],
    [{ ...good, httpOnly: true }, '/httpOnly unknown_field'],
  ])('refuse %j', (cookie, fault) => {
    expect(codesOf({ url, cookies: [good, cookie] })).toEqual([`/cookies/1${fault}`]);
  });

  it.each([
    [good],
    [{ ...good, value: '' }],
    [{ ...good, domain: 'example.com' }],
    [{ ...good, domain: '.EXAMPLE.com' }],
    [{ ...good, domain: 'www.example.com', path: '/a', expires: 2_000_000_000, http_only: true }],
    [{ ...good, same_site: 'none', secure: true }],
  ])('take %j', (cookie) => {
    expect(faultsOf({ url, cookies: [cookie] })).toEqual([]);
  });

  it('take the address of a host without a name as it is', () => {
    const cookies = [{ ...good, domain: '0.0.1' }];
    expect(codesOf({ url: 'http://127.0.0.1/', cookies })).toEqual(['/cookies/0/domain invalid_value']);
  });

  it('refuse what is no list of objects, and more than 100', () => {
    expect(codesOf({ url, cookies: good })).toEqual(['/cookies wrong_type']);
    expect(codesOf({ url, cookies: ['a=b'] })).toEqual(['/cookies/0 wrong_type']);
    expect(codesOf({ url, cookies: Array(101).fill(good) })).toEqual(['/cookies too_many']);
  });
});

describe('outputs', () => {
  const [page, phone] = [{ name: 'page' }, { name: 'phone', device: 'iphone-15-pro' }];

  it('have names that differ', () => {
    expect(faultsOf({ url, outputs: [page, phone] })).toEqual([]);
    expect(codesOf({ url, outputs: [page, phone, { name: 'page', format: 'pdf' }] })).toEqual([
      '/outputs/2/name conflict',
    ]);
  });

  it('refuse an output without a name, and none at all', () => {
    expect(codesOf({ url, outputs: [page, { format: 'pdf' }] })).toEqual(['/outputs/1/name required']);
    expect(codesOf({ url, outputs: [] })).toEqual(['/outputs too_few']);
  });
});
