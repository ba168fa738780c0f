import { describe, expect, it } from '@jest/globals';
import { AppError, type Fault } from '@app/kernel';
import { DefaultOptions } from './default-options.js';
import { givenOptions, parseOptions, parseOptionsOver, storedOptions } from './parse-options.js';

const url = 'https://example.com/';
type Given = Readonly<Record<string, unknown>>;

/** The defaults that apply to a capture of this caller. */
function applied(defaults: Given, caller: Given): Given {
  const options = parseOptions({ url, ...caller }, new DefaultOptions(defaults));
  const { stored, defaultNames } = storedOptions(options);
  return Object.fromEntries(defaultNames.map((name) => [name, stored[name]]));
}

function faultsOf(defaults: Given, caller: Given): readonly Fault[] {
  try {
    parseOptions({ url, ...caller }, new DefaultOptions(defaults));
    return [];
  } catch (thrown) {
    return AppError.from(thrown).facts.errors ?? [];
  }
}

describe(DefaultOptions.name, () => {
  it('applies to captures whose callers do not set the options', () => {
    const operator = new DefaultOptions({ clean: true, timezone: 'Europe/Berlin' });
    const options = parseOptions({ url, timezone: 'UTC' }, operator);
    expect(options).toMatchObject({ clean: true, timezone: 'UTC', format: 'png' });
    expect(givenOptions(options)).toEqual({ url, timezone: 'UTC' });
    expect(storedOptions(options)).toEqual({
      stored: { clean: true, url, timezone: 'UTC' },
      defaultNames: ['clean'],
    });
  });

  it.each<[why: string, defaults: Given, caller: Given, left: Given]>([
    ['another format', { quality: 60 }, { format: 'png' }, {}],
    ['a format that it fits', { quality: 60 }, { format: 'webp' }, { quality: 60 }],
    ['no format', { quality: 60 }, {}, {}],
    ['an option of another format', { format: 'pdf', pdf_scale: 2 }, { full_page: true }, {}],
    [
      'a format instead',
      { format: 'pdf', pdf_scale: 2, full_page: true },
      { format: 'jpeg' },
      { full_page: true },
    ],
    ['a selector', { full_page: true, max_height: 500, full_width: true }, { selector: 'p' }, {}],
    [
      'a clip',
      { full_page: true, dark_mode: true },
      { clip_x: 0, clip_y: 0, clip_width: 10, clip_height: 10 },
      { dark_mode: true },
    ],
    ['no full page', { full_page: true, max_height: 500 }, { full_page: false }, {}],
    [
      'a device',
      { viewport_width: 500, landscape: true, user_agent: 'x', mobile: true },
      { device: 'iPad' },
      {},
    ],
    [
      'a size of the window',
      { device: 'iPad', viewport_height: 700 },
      { viewport_width: 900 },
      { viewport_height: 700 },
    ],
    ['a width', { landscape: true }, { viewport_width: 400 }, {}],
    ['an orientation', { device: 'iPad' }, { landscape: true }, { device: 'iPad' }],
    [
      'a larger scale',
      { viewport_width: 7_680, viewport_height: 7_680 },
      { device_scale_factor: 4 },
      { viewport_width: 7_680 },
    ],
    ['a secret', { cache_ttl_s: 60, stale_ttl_s: 600, cache_key: 'v1' }, { headers: { a: 'b' } }, {}],
    [
      'another secret',
      { cache_ttl_s: 60, clean: true },
      { cookies: [{ name: 'a', value: 'b' }] },
      { clean: true },
    ],
    [
      'a password',
      { cache_ttl_s: 60, force: true },
      { basic_auth_username: 'a', basic_auth_password: 'b' },
      {},
    ],
    ['no cache', { cache_ttl_s: 60, stale_ttl_s: 600, cache_key: 'v1' }, { cache_ttl_s: 0 }, {}],
    ['a time', { cache_ttl_s: 60, stale_ttl_s: 600 }, { cache_ttl_s: 5 }, { stale_ttl_s: 600 }],
    ['one kind of noise', { clean: true }, { block_ads: false }, { clean: true }],
    ['all noise', { block_ads: true, block_cookie_banners: true }, { clean: false }, {}],
    ['no noise', { block_ads: false }, { clean: true }, {}],
    ['no cleaning', { clean: true, cookie_consent: 'hide' }, { clean: false }, {}],
    ['no consent', { clean: true, cookie_consent: 'hide' }, { block_cookie_banners: false }, { clean: true }],
    ['a shorter timeout', { delay_ms: 5_000 }, { timeout_ms: 5_000 }, {}],
    ['a longer delay', { timeout_ms: 5_000 }, { delay_ms: 5_000 }, {}],
    ['half a place', { latitude: 1, longitude: 2, accuracy: 3 }, { latitude: 3, longitude: 4 }, {}],
    [
      'paper',
      { pdf_width: '5cm', pdf_height: '5cm', pdf_prefer_css_page_size: true },
      { format: 'pdf', pdf_paper: 'a5' },
      {},
    ],
    [
      'a size of paper',
      { pdf_landscape: true, pdf_paper: 'a5' },
      { format: 'pdf', pdf_width: '5cm', pdf_height: '9cm' },
      {},
    ],
    ['small paper', { pdf_margin_left: '5cm' }, { format: 'pdf', pdf_width: '5cm', pdf_height: '9cm' }, {}],
  ])('steps back for a caller who asks for %s', (_, defaults, caller, left) => {
    expect(applied(defaults, caller)).toEqual(left);
    expect(applied(Object.fromEntries(Object.entries(defaults).reverse()), caller)).toEqual(left);
  });

  it.each<[Given, Given]>([
    [{ clean: true }, { cookie_consent: 'accept' }],
    [{ full_page: true }, { max_height: 500 }],
    [{ format: 'jpeg' }, { quality: 50 }],
    [{ latitude: 1, longitude: 2 }, { accuracy: 5 }],
  ])('%j serves an option that needs it, %j', (defaults, caller) => {
    expect(faultsOf({}, caller)).toHaveLength(1);
    expect(applied(defaults, caller)).toEqual(defaults);
  });

  it.each<[Given, Given, string[]]>([
    [{ full_page: true, dark_mode: true }, { selector: 'p', selector_padding: -1 }, ['/selector_padding']],
    [{ clean: true }, { full_page: true, selector: 'p', cookie_consent: 'accept' }, ['/selector']],
    [{ format: 'pdf' }, { full_page: true, pdf_scale: 2 }, ['/pdf_scale']],
    [{ latitude: 1, longitude: 2 }, { latitude: 3 }, ['/latitude']],
    [{ pdf_width: '5cm', pdf_height: '5cm' }, { format: 'pdf', pdf_width: '9cm' }, ['/pdf_width']],
    [{ delay_ms: 4_000 }, { timeout_ms: 3_000, delay_ms: 3_000 }, ['/delay_ms']],
    [{ quality: 10, full_page: true }, { format: 'exe' }, ['/format']],
  ])(
    'with %j, the faults of %j are only about options that the caller sent',
    (defaults, caller, pointers) => {
      const faults = faultsOf(defaults, caller);
      expect(faults.map(({ pointer }) => pointer)).toEqual(pointers);
      expect(faults.filter(({ pointer }) => !Object.hasOwn(caller, pointer.slice(1)))).toEqual([]);
    },
  );

  it('describes a fault as if there were no defaults', () => {
    expect(faultsOf({ format: 'text' }, { quality: 5 })).toEqual(faultsOf({}, { quality: 5 }));
  });

  it('applies below the defaults of a batch and its rows', () => {
    const operator = new DefaultOptions({ clean: true, dark_mode: true, delay_ms: 100 });
    const options = parseOptionsOver({ dark_mode: false }, { url, delay_ms: 5 }, operator);
    expect(options).toMatchObject({ clean: true, dark_mode: false, delay_ms: 5 });
    expect(storedOptions(options).defaultNames).toEqual(['clean']);
  });

  it('does not apply to an option that a row unsets', () => {
    const operator = new DefaultOptions({ clean: true, timezone: 'Europe/Berlin', cookie_consent: 'accept' });
    const options = parseOptionsOver({ timezone: 'UTC' }, { url, timezone: null, clean: null }, operator);
    expect(options).toEqual(parseOptions({ url }));
    expect(storedOptions(options)).toEqual({
      stored: { url, timezone: null, clean: null },
      defaultNames: [],
    });
  });
});
