import { describe, expect, it } from '@jest/globals';
import { AppError, fieldsOf, type Fault } from '@app/kernel';
import { FORMAT_NAMES } from '../formats/index.js';
import { CaptureOptions } from './capture-options.js';
import {
  givenOptions,
  optionFaults,
  parseOptions,
  parseOptionsOver,
  restoreOptions,
} from './parse-options.js';
import { splitSecrets } from './secret-options.js';

const url = 'https://example.com/';

function faultsOf(raw: unknown): readonly Fault[] {
  try {
    parseOptions(raw);
    return [];
  } catch (thrown) {
    const { code, facts } = AppError.from(thrown);
    expect(code).toBe('invalid_request');
    return facts.errors ?? [];
  }
}

const pointersOf = (raw: unknown): string[] => faultsOf(raw).map(({ pointer }) => pointer);
const nested = (depth: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as unknown;

describe(parseOptions.name, () => {
  it('fills in the defaults', () => {
    const options = parseOptions({ url });
    expect(options).toBeInstanceOf(CaptureOptions);
    expect(options).toMatchObject({ url, format: 'png', javascript: true, full_page: false, cookies: [] });
  });

  it('keeps the url as a browser writes it', () => {
    expect(parseOptions({ url: 'HTTP://Bücher.Example:80/a b' }).url).toBe(
      'http://xn--bcher-kva.example/a%20b',
    );
  });

  it('lists every fault', () => {
    const raw = { urll: url, viewport_width: 0, quality: 101, media_type: 'tv', latitude: 1 };
    expect(pointersOf(raw)).toEqual(['/urll', '/quality', '/viewport_width', '/media_type', '/url']);
  });

  it('reports rules over several fields for families without faulty fields', () => {
    expect(pointersOf({ url, latitude: 1, viewport_width: 'wide', clip_x: 1 })).toEqual(
      expect.arrayContaining(['/viewport_width', '/latitude', '/clip_y']),
    );
    expect(pointersOf({ url: 'nonsense', latitude: 1 })).toEqual(['/url', '/latitude']);
  });

  it.each([
    ['urll', 'did you mean url?'],
    ['viewportWidth', 'did you mean viewport_width?'],
    ['width', 'did you mean viewport_width?'],
    ['viewport', 'did you mean viewport_width?'],
    ['delay', 'did you mean delay_ms?'],
    ['waitForTimeout', 'did you mean delay_ms?'],
    ['device-pixel-ratio', 'did you mean device_scale_factor?'],
    ['launchArgs', 'is not a known field'],
    ['proxy', 'is not a known field'],
    ['path', 'is not a known field'],
  ])('names the unknown field %s', (name, detail) => {
    expect(faultsOf({ url, [name]: 1 })).toEqual([
      { pointer: `/${name}`, code: 'unknown_field', detail: expect.stringContaining(detail) },
    ]);
  });

  it.each([
    ['{"__proto__":{"format":"pdf"}}', '/__proto__'],
    ['{"constructor":{"prototype":{"x":1}}}', '/constructor'],
    ['{"headers":{"__proto__":"x"}}', '/headers/__proto__'],
    ['{"cookies":[{"constructor":1}]}', '/cookies/0/constructor'],
  ])('refuses %s and leaves the prototypes alone', (json, pointer) => {
    expect(pointersOf({ ...(JSON.parse(json) as object), url })).toEqual(
      json.includes('"__proto__":{') ? ['/__proto__'] : [pointer],
    );
    expect({}).not.toHaveProperty('format');
    expect({}).not.toHaveProperty('x');
  });

  it.each([[[]], [1], ['text'], [null], [undefined], [true]])('refuses %j as the options', (raw) => {
    expect(pointersOf(raw)).toEqual(['']);
  });

  it('refuses deep nesting without overflowing the stack', () => {
    expect(pointersOf({ url, headers: nested(10_000) })).toEqual(['/headers/a/a']);
    expect(pointersOf(nested(10_000))).toEqual(['/a/a/a']);
  });

  it('refuses too many entries before it validates them', () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => i);
    expect(pointersOf(Object.fromEntries(many(100_000).map((i) => [`a${i}`, 1])))).toEqual(['']);
    expect(pointersOf({ url, cookies: many(100_000) })).toEqual(['/cookies']);
  });

  it.each([
    ['quality', { quality: 50, format: 'png' }],
    ['quality', { quality: 50 }],
    ['pdf_landscape', { pdf_landscape: false, format: 'webp' }],
    ['omit_background', { omit_background: false, format: 'jpeg' }],
    ['full_page', { full_page: false, format: 'pdf' }],
  ])('refuses %s in %j, because it has no meaning for the format', (name, options) => {
    expect(faultsOf({ url, ...options })).toEqual([
      { pointer: `/${name}`, code: 'not_for_format', detail: expect.stringContaining('only for') },
    ]);
  });

  it.each([
    ['exe', ''],
    ['', ''],
    ['PNG', '; did you mean png?'],
    ['jpg', '; did you mean jpeg?'],
  ])('lists the formats when asked for %j', (format, hint) => {
    const detail = `must be one of ${FORMAT_NAMES.join(', ')}${hint}`;
    expect(faultsOf({ url, format, quality: 50 })).toEqual([
      { pointer: '/format', code: 'not_allowed', detail },
    ]);
  });

  it('keeps the caller’s options separate from the defaults', () => {
    const given = { url: 'HTTPS://example.com', dark_mode: false, reference: 'r' };
    expect(givenOptions(parseOptions(given))).toEqual(given);
  });
});

describe(parseOptionsOver.name, () => {
  it('uses the defaults for options that the row does not set', () => {
    const options = parseOptionsOver({ url, format: 'jpeg', quality: 50 }, { quality: 60 });
    expect(options).toEqual(parseOptions({ url, format: 'jpeg', quality: 60 }));
    expect(givenOptions(options)).toEqual({ url, format: 'jpeg', quality: 60 });
  });

  it('unsets a default that is null, and stores that', () => {
    const options = parseOptionsOver(
      { url, format: 'webp', full_page: true },
      { format: 'pdf', full_page: null },
    );
    expect(options).toEqual(parseOptions({ url, format: 'pdf' }));
    expect(givenOptions(options)).toEqual({ url, format: 'pdf', full_page: null });
    const other = parseOptionsOver({ html: '<p>', headers: { a: 'b' } }, { url, html: null, headers: null });
    expect(other).toEqual(parseOptions({ url }));
  });

  it.each(fieldsOf(CaptureOptions).map(({ name }) => name))(
    'unsets %s, whether or not it has a default',
    (name) => {
      const target = name === 'url' ? { html: '<p>' } : { url };
      expect(parseOptionsOver({}, { ...target, [name]: null })).toEqual(parseOptions(target));
    },
  );

  it.each([
    ['an unknown option', { url, urll: null }, '/urll unknown_field'],
    ['a field of an object', { url, cookies: [{ name: null, value: 'x' }] }, '/cookies/0/name wrong_type'],
    ['an unset target', { url: null }, '/url required'],
    ['an unsafe key', JSON.parse('{"__proto__":null,"url":null}'), '/__proto__ unknown_field'],
  ])('refuses null of %s', (_, row, fault) => {
    const parse = () => parseOptionsOver({ url }, row);
    expect(parse).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({
          errors: [expect.objectContaining({ pointer: fault.split(' ')[0], code: fault.split(' ')[1] })],
        }),
      }),
    );
  });

  it('is the only parser that accepts null: a single capture has no default to unset', () => {
    expect(faultsOf({ url, full_page: null })).toMatchObject([{ pointer: '/full_page', code: 'wrong_type' }]);
    expect(optionFaults({ full_page: null }, '/defaults')).toMatchObject([{ code: 'wrong_type' }]);
  });

  it.each([
    [
      'a default that does not go with what is said',
      { format: 'jpeg', quality: 50 },
      { format: 'png' },
      '/quality',
    ],
    ['what is said, though there is a default', { format: 'jpeg' }, { format: 'exe' }, '/format'],
    ['what neither says', {}, { url: undefined }, '/url'],
    ['what is no object', { format: 'png' }, 5, ''],
  ])('reports %s', (_, defaults, said, pointer) => {
    const row = typeof said === 'object' ? { ...('format' in said && { url }), ...said } : said;
    const parse = () => parseOptionsOver(defaults, row);
    expect(parse).toThrow(AppError);
    expect(parse).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }),
      }),
    );
  });
});

describe(optionFaults.name, () => {
  it('checks each option by itself', () => {
    expect(optionFaults({ format: 'png', quality: 50 }, '/defaults')).toEqual([]);
    expect(optionFaults({ quality: 500, x: 1 }, '/defaults').map(({ pointer }) => pointer)).toEqual([
      '/defaults/x',
      '/defaults/quality',
    ]);
    expect(optionFaults({ cookies: [{ name: { deep: 1 } }] }, '')).toMatchObject([
      { pointer: '/cookies/0/name', code: 'too_deep' },
    ]);
    expect(optionFaults({ headers: nested(5) }, '/defaults').map(({ code }) => code)).toEqual(['too_deep']);
  });
});

describe(restoreOptions.name, () => {
  it('returns the parsed options, including secrets', () => {
    const cookies = [{ name: 'a', value: 'b' }];
    const given = { url: 'https://EXAMPLE.com', headers: { 'X-A': '1' }, cookies, javascript: false };
    const open = { ...given, headers: '[redacted]', cookies: '[redacted]' };
    const restored = restoreOptions(open, { headers: given.headers, cookies });
    expect(restored).toEqual(parseOptions(given));
    expect(restored.cookies[0]).toMatchObject({ name: 'a', path: '/', secure: false });
  });

  it('uses the defaults of the service for unset options', () => {
    const options = parseOptionsOver({ headers: { a: 'b' } }, { url, viewport_width: null, headers: null });
    const { open, secrets } = splitSecrets(givenOptions(options));
    expect([open, secrets]).toEqual([{ url, viewport_width: null, headers: null }, null]);
    const restored = restoreOptions(open, secrets);
    expect(restored).toEqual(parseOptions({ url }));
    expect(givenOptions(restored)).toEqual(open);
  });

  it('returns the parsed options when there are no secrets', () => {
    expect(restoreOptions({ html: '<p>' }, null)).toEqual(parseOptions({ html: '<p>' }));
  });
});
