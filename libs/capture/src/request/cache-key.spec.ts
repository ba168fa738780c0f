import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppError, fieldsOf } from '@app/kernel';
import { OPTION_SAMPLES, TARGET } from '../../../../test/support/option-samples.js';
import { cacheKeyOf, type EngineVersions } from './cache-key.js';
import { DefaultOptions } from './default-options.js';
import { CaptureOptions } from './capture-options.js';
import { parseOptions } from './parse-options.js';
import { splitSecrets } from './secret-options.js';

type Given = Readonly<Record<string, unknown>>;

const VERSIONS: EngineVersions = { browser: 'Chrome/156.0.1.2', filterLists: '[["easylist","2026-11-01"]]' };

const CACHED = { ...TARGET, cache_ttl_s: 60 };

interface Circumstances {
  readonly accountId?: string;
  readonly operator?: DefaultOptions;
  readonly versions?: EngineVersions;
}

/** The text that is hashed, which a failing test shows; null when there is no key. */
function textOf(
  given: Given,
  { accountId = 'account-1', operator, versions = VERSIONS }: Circumstances = {},
): string | null {
  let hashed: string | null = null;
  const target = 'html' in given ? { url: undefined } : {};
  const raw = Object.entries({ ...CACHED, ...target, ...given }).filter(([, value]) => value !== undefined);
  const options = parseOptions(Object.fromEntries(raw), operator);
  const key = cacheKeyOf(options, { accountId, versions }, (text) => {
    hashed = text;
    return createHash('sha256').update(text).digest();
  });
  if (hashed === null) expect(key).toBeNull();
  else expect(key).toEqual(createHash('sha256').update(hashed).digest());
  return hashed;
}

const PREVIOUS = { compare_with: 'previous' };

describe(cacheKeyOf.name, () => {
  it.each<[string, Given, Given]>([
    ['the order of options', { full_page: true, format: 'jpeg' }, { format: 'jpeg', full_page: true }],
    [
      'stated defaults',
      {},
      {
        format: 'png',
        viewport_width: 1_280,
        viewport_height: 800,
        device_scale_factor: 1,
        wait_until: 'auto',
        timeout_ms: 60_000,
        delay_ms: 0,
        clean: false,
        block_ads: false,
        hide_selectors: [],
        fail_on_status: [],
        javascript: true,
        scroll: false,
        mobile: false,
        stale_ttl_s: 0,
        force: false,
        response: 'file',
        metadata: false,
        stable: false,
      },
    ],
    ['the default quality', { format: 'webp' }, { format: 'webp', quality: 80 }],
    ['the spelling of the URL', { url: 'https://example.com/' }, { url: 'HTTPS://EXAMPLE.com:443' }],
    [
      'escapes that the browser writes itself',
      { url: 'https://example.com/%C3%A4?q=%20#' },
      { url: 'https://example.com/a/../ä?q= #' },
    ],
    [
      'the spelling of a base URL',
      { html: 'a', base_url: 'http://a.example/' },
      { html: 'a', base_url: 'http://A.example:80' },
    ],
    ['the letter case of a device', { device: 'iphone-15-pro' }, { device: 'IPHONE-15-PRO' }],
    [
      'options that repeat the device',
      { device: 'iphone-15-pro' },
      {
        device: 'iphone-15-pro',
        viewport_width: 393,
        viewport_height: 659,
        device_scale_factor: 3,
        mobile: true,
        touch: true,
        landscape: false,
      },
    ],
    [
      'a turned device and its landscape preset',
      { device: 'iphone-15-pro', landscape: true },
      { device: 'iphone-15-pro-landscape' },
    ],
    ['a window that is landscape already', {}, { landscape: true }],
    [
      'what clean and full_page imply',
      { clean: true, full_page: true },
      {
        block_ads: true,
        block_trackers: true,
        block_chats: true,
        block_annoyances: true,
        block_cookie_banners: true,
        cookie_consent: 'reject',
        full_page: true,
        scroll: true,
      },
    ],
    ['how long it may answer', {}, { cache_ttl_s: 2_592_000 }],
    ['how long it may answer while it is renewed', {}, { stale_ttl_s: 600 }],
    ['whether it is renewed', {}, { force: true }],
    ['delivery', {}, { reference: 'r', response: 'json', filename: 'f.png', expires_in_s: 60 }],
    ['the default threshold of a comparison', PREVIOUS, { ...PREVIOUS, compare_threshold: 0.1 }],
    [
      'the defaults of outputs, and where they are stated',
      { outputs: [{ name: 'a', device: 'pixel-5' }] },
      { outputs: [{ viewport_width: 393, format: 'png', device: 'Pixel-5', name: 'a' }] },
    ],
  ])('is the same whatever %s', (_, one, other) => {
    expect(textOf(one)).not.toBeNull();
    expect(textOf(other)).toBe(textOf(one));
  });

  it.each<[string, Given, Given]>([
    ['the fragment of the URL', { url: 'https://example.com/#a' }, { url: 'https://example.com/#b' }],
    ['the order of a query', { url: 'https://example.com/?a&b' }, { url: 'https://example.com/?b&a' }],
    ['the path, by letter case', { url: 'https://example.com/A' }, { url: 'https://example.com/a' }],
    ['the kind of target', { html: TARGET.url }, {}],
    ['the user agent of a device', { device: 'iphone-15-pro' }, { device: 'iphone-14-pro' }],
    ['no cache_key and some', {}, { cache_key: 'a' }],
    ['cache_key, by letter case', { cache_key: 'A' }, { cache_key: 'a' }],
    ['cache_key and text that looks like it', { cache_key: 'a","b' }, { cache_key: 'a' }],
    ['css and js', { css: 'a' }, { js: 'a' }],
    ['the timeout, since a short one fails where a long one succeeds', {}, { timeout_ms: 5_000 }],
    ['how consent dialogs are removed', { clean: true }, { clean: true, cookie_consent: 'accept' }],
    ['no comparison and one', {}, PREVIOUS],
    ['what it is compared with', PREVIOUS, { compare_with: '0198c0de-0000-7000-8000-000000000001' }],
    ['the threshold of a comparison', PREVIOUS, { ...PREVIOUS, compare_threshold: 0 }],
    [
      'what a comparison ignores',
      { ...PREVIOUS, compare_ignore_selectors: ['.ad'] },
      { ...PREVIOUS, compare_ignore_selectors: ['.clock'] },
    ],
    ['one file and an output', {}, { outputs: [{ name: 'result' }] }],
    ['the names of outputs', { outputs: [{ name: 'a' }] }, { outputs: [{ name: 'b' }] }],
    [
      'the order of outputs',
      { outputs: [{ name: 'a' }, { name: 'b' }] },
      { outputs: [{ name: 'b' }, { name: 'a' }] },
    ],
    [
      'the options of an output',
      { outputs: [{ name: 'a', format: 'pdf' }] },
      { outputs: [{ name: 'a', format: 'pdf', pdf_scale: 0.5 }] },
    ],
    [
      'the window in which the page is visited for its outputs',
      { outputs: [{ name: 'a', device: 'pixel-5' }] },
      { outputs: [{ name: 'a', device: 'pixel-5' }], viewport_width: 1_280 },
    ],
  ])('depends on %s', (_, one, other) => {
    expect(textOf(one)).not.toBe(textOf(other));
  });

  it('is another one for each account, so that records do not show who captured the same page', () => {
    expect(textOf({}, { accountId: 'account-2' })).not.toBe(textOf({}));
  });

  it('is null without cache_ttl_s, whatever the operator says', () => {
    expect(textOf({ cache_ttl_s: 0 })).toBeNull();
    expect(textOf({ cache_ttl_s: undefined })).toBeNull();
    expect(textOf({ cache_ttl_s: 0 }, { operator: new DefaultOptions({ cache_ttl_s: 60 }) })).toBeNull();
  });

  it('counts the defaults of the operator like stated options', () => {
    const operator = new DefaultOptions({
      format: 'webp',
      dark_mode: true,
      cache_ttl_s: 60,
      cache_key: 'v1',
    });
    const stated = { format: 'webp', dark_mode: true, cache_key: 'v1' };
    expect(textOf({ cache_ttl_s: undefined }, { operator })).toBe(textOf(stated));
    expect(textOf({ format: 'png', dark_mode: false, cache_key: 'v2' }, { operator })).toBe(
      textOf({ cache_key: 'v2' }),
    );
  });

  it.each<[string, Given, EngineVersions, boolean]>([
    ['the version of the browser', {}, { ...VERSIONS, browser: 'Chrome/157.0.0.0' }, true],
    ['the filter lists without their use', {}, { ...VERSIONS, filterLists: '[]' }, false],
    ['the filter lists of clean', { clean: true }, { ...VERSIONS, filterLists: '[]' }, true],
    ['the filter lists of one kind', { block_chats: true }, { ...VERSIONS, filterLists: '[]' }, true],
    [
      'the filter lists of consent dialogs',
      { block_cookie_banners: true },
      { ...VERSIONS, filterLists: '[]' },
      true,
    ],
    [
      'the filter lists without clean after all',
      { clean: false, block_ads: false },
      { ...VERSIONS, filterLists: '[]' },
      false,
    ],
  ])('changes, or does not, with %s', (_, given, versions, changes) => {
    expect(textOf(given, { versions }) !== textOf(given)).toBe(changes);
  });
});

/** Why an option may be another one without another key. */
const WITHOUT_EFFECT: Readonly<Record<string, 'cache' | 'delivery'>> = {
  cache_ttl_s: 'cache',
  stale_ttl_s: 'cache',
  force: 'cache',
  reference: 'delivery',
  response: 'delivery',
  filename: 'delivery',
  expires_in_s: 'delivery',
};

/** The company in which another value has an effect, where that of the sample is not enough. */
const COMPANY: Readonly<Record<string, Given>> = {
  html: { html: '<p>' },
  landscape: { device: 'iphone-15-pro' },
  pdf_width: { format: 'pdf', pdf_width: '10cm', pdf_height: '20cm' },
  pdf_height: { format: 'pdf', pdf_width: '20cm', pdf_height: '10cm' },
};

/** The value of the sample, or another one when the company has it already. */
function otherValue(name: string, company: Given): unknown {
  const value = OPTION_SAMPLES[name]?.[1];
  return company[name] === value ? (value as number) + 1 : value;
}

describe('each option', () => {
  const FIELDS = fieldsOf(CaptureOptions);
  const isSecret = (name: string): boolean => splitSecrets({ [name]: 'x' }).secrets !== null;

  it.each(FIELDS.map(({ name }) => name).filter((name) => !isSecret(name)))(
    '%s changes the key, or is named here',
    (name) => {
      const company = COMPANY[name] ?? OPTION_SAMPLES[name]?.[2] ?? {};
      const other = { ...company, [name]: otherValue(name, company) };
      expect(textOf(other) === textOf(company)).toBe(name in WITHOUT_EFFECT);
    },
  );

  it.each(FIELDS.map(({ name }) => name).filter(isSecret))(
    '%s, which is secret, is refused with a cache',
    (name) => {
      const [, value, company] = OPTION_SAMPLES[name] ?? [];
      const refused = () => textOf({ ...company, [name]: value });
      expect(refused).toThrow(AppError);
      expect(() => textOf({ ...company, [name]: value, cache_ttl_s: 0 })).not.toThrow();
    },
  );
});
