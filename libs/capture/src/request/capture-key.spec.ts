import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { captureKeyOf } from './capture-key.js';
import { DefaultOptions } from './default-options.js';
import { parseOptions } from './parse-options.js';

const URL_OF_PAGE = 'https://example.com/';

/** The text that is hashed, which a failing test shows. */
function textOf(given: Record<string, unknown>, operator?: DefaultOptions): string {
  const target = 'html' in given ? {} : { url: URL_OF_PAGE };
  let hashed = '';
  const key = captureKeyOf(parseOptions({ ...target, ...given }, operator), (text) => {
    hashed = text;
    return createHash('sha256').update(text).digest();
  });
  expect(key).toHaveLength(32);
  return hashed;
}

const PHONE = {
  viewport_width: 393,
  viewport_height: 659,
  device_scale_factor: 3,
  mobile: true,
  touch: true,
};

describe(captureKeyOf.name, () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['the order of options', { full_page: true, format: 'jpeg' }, { format: 'jpeg', full_page: true }],
    [
      'stated defaults',
      {},
      {
        format: 'png',
        viewport_width: 1280,
        device_scale_factor: 1,
        wait_until: 'auto',
        timeout_ms: 60_000,
        block_ads: false,
        hide_selectors: [],
        scroll: false,
        javascript: true,
        full_page: false,
      },
    ],
    ['the default quality of the format', { format: 'webp' }, { format: 'webp', quality: 80 }],
    [
      'the default quality of an output',
      { outputs: [{ name: 'a', format: 'jpeg' }] },
      { outputs: [{ name: 'a', format: 'jpeg', quality: 80 }] },
    ],
    ['the default media type of the format', { format: 'pdf' }, { format: 'pdf', media_type: 'print' }],
    ['the spelling of the URL', {}, { url: 'HTTPS://EXAMPLE.com:443' }],
    [
      'the spelling of a base URL',
      { html: 'a', base_url: 'http://a.example' },
      { html: 'a', base_url: 'http://A.example:80/' },
    ],
    ['the letter case of a device', { device: 'iphone-15-pro' }, { device: 'iPhone-15-Pro' }],
    ['options that repeat the device', { device: 'iphone-15-pro' }, { device: 'iphone-15-pro', ...PHONE }],
    [
      'a turned device and its landscape preset',
      { device: 'iphone-15-pro', landscape: true },
      { device: 'iphone-15-pro-landscape' },
    ],
    [
      'what full_page and clean imply',
      { full_page: true, clean: true },
      {
        full_page: true,
        scroll: true,
        clean: true,
        block_ads: true,
        block_cookie_banners: true,
        cookie_consent: 'reject',
      },
    ],
    ['the names of headers', { headers: { 'X-A': '1', b: '2' } }, { headers: { B: '2', 'x-a': '1' } }],
    [
      'the fields of cookies',
      { cookies: [{ name: 'a', value: 'b' }] },
      { cookies: [{ value: 'b', name: 'a' }] },
    ],
    ['delivery', {}, { reference: 'r', response: 'json', filename: 'f.png', expires_in_s: 60 }],
    ['comparison', {}, { compare_with: 'previous', compare_threshold: 0.5, compare_ignore_selectors: ['p'] }],
    [
      'the order and the defaults of outputs',
      { outputs: [{ name: 'a', full_page: true, format: 'png' }] },
      { outputs: [{ format: 'png', name: 'a', full_page: true, scroll: true }] },
    ],
    [
      'where the options of an output are stated',
      { outputs: [{ name: 'a', device: 'pixel-5' }] },
      { outputs: [{ name: 'a', device: 'Pixel-5', viewport_width: 393 }] },
    ],
  ])('is the same whatever %s', (_, one, other) => {
    expect(textOf(other)).toBe(textOf(one));
  });

  it.each<[Record<string, unknown>, Record<string, unknown>?]>([
    [{ url: 'https://example.com/a' }],
    [{ url: 'https://example.com/#a' }],
    [{ html: '<p>' }],
    [{ html: '<p>', base_url: URL_OF_PAGE }, { html: '<p>' }],
    [{ format: 'jpeg' }],
    [{ format: 'jpeg', quality: 79 }, { format: 'jpeg' }],
    [{ viewport_width: 1281 }],
    [{ format: 'avif', quality: 80 }, { format: 'avif' }],
    [{ format: 'pdf', media_type: 'screen' }, { format: 'pdf' }],
    [
      { outputs: [{ name: 'a', format: 'pdf' }], media_type: 'screen' },
      { outputs: [{ name: 'a', format: 'pdf' }] },
    ],
    [
      { viewport_width: 800, viewport_height: 1280 },
      { viewport_width: 1280, viewport_height: 800 },
    ],
    [{ device: 'iphone-15-pro' }],
    [{ device: 'iphone-15-pro' }, PHONE],
    [{ user_agent: 'a' }],
    [{ full_page: true }],
    [{ full_page: true, scroll: false }, { full_page: true }],
    [{ clean: true }],
    [{ block_ads: true }, { block_trackers: true }],
    [{ block_cookie_banners: true, cookie_consent: 'accept' }, { block_cookie_banners: true }],
    [{ wait_until: 'networkidle' }],
    [{ delay_ms: 1 }],
    [{ fail_on_status: ['404'] }],
    [{ stable: true }],
    [{ metadata: true }],
    [{ hide_selectors: ['a', 'b'] }, { hide_selectors: ['a'] }],
    [{ hide_selectors: ['a,b'] }, { hide_selectors: ['a', 'b'] }],
    [{ css: 'a' }, { js: 'a' }],
    [{ headers: { a: '1' } }],
    [{ headers: { a: '1' } }, { headers: { a: '2' } }],
    [{ cookies: [{ name: 'a', value: 'b' }] }, { cookies: [{ name: 'a', value: 'c' }] }],
    [
      { basic_auth_username: 'a', basic_auth_password: 'b' },
      { basic_auth_username: 'a', basic_auth_password: 'c' },
    ],
    [{ actions: [{ type: 'back' }] }, { actions: [{ type: 'reload' }] }],
    [{ recording: { steps: [{ type: 'scroll', y: 1 }] } }],
    [{ outputs: [{ name: 'a' }] }],
    [{ outputs: [{ name: 'a' }] }, { outputs: [{ name: 'b' }] }],
    [
      { outputs: [{ name: 'a' }, { name: 'b', format: 'pdf' }] },
      { outputs: [{ name: 'b', format: 'pdf' }, { name: 'a' }] },
    ],
    [{ outputs: [{ name: 'a', device: 'pixel-5' }] }, { outputs: [{ name: 'a' }] }],
    // The page is visited in the window of the capture, if it states one, and else in that of its first output.
    [
      { outputs: [{ name: 'a', device: 'pixel-5' }] },
      { outputs: [{ name: 'a', device: 'pixel-5' }], viewport_width: 1_280 },
    ],
  ])('differs for %j', (one, other = {}) => {
    expect(textOf(one)).not.toBe(textOf(other));
  });

  it('leaves out empty lists and objects', () => {
    expect(textOf({ actions: [], recording: {}, secrets: {} })).toBe(textOf({}));
    expect(textOf({})).not.toContain('secrets');
  });

  it('counts the defaults of the operator like stated options', () => {
    const operator = new DefaultOptions({ format: 'webp', dark_mode: true });
    expect(textOf({}, operator)).toBe(textOf({ format: 'webp', dark_mode: true }));
    expect(textOf({}, operator)).not.toBe(textOf({}));
  });
});
