import { describe, expect, it } from '@jest/globals';
import { AppError, type Fault } from '@app/kernel';
import { DefaultOptions } from './default-options.js';
import type { CaptureOptions } from './capture-options.js';
import {
  formatsOfOutputs,
  outputsOf,
  parseOptions,
  parseOptionsOver,
  restoreOptions,
  storedOptions,
} from './parse-options.js';

const url = 'https://example.com/';

function faultsOf(raw: object): readonly Fault[] {
  try {
    parseOptions({ url, ...raw });
    return [];
  } catch (thrown) {
    const { code, facts } = AppError.from(thrown);
    expect(code).toBe('invalid_request');
    return facts.errors ?? [];
  }
}

const named = (count: number): object[] => Array.from({ length: count }, (_, i) => ({ name: `o${i}` }));
/** An output with these options. */
const one = (options: object): object => ({ outputs: [{ name: 'a', ...options }] });

describe('outputs that are refused', () => {
  it.each<readonly [string, object, ...string[]]>([
    ['an empty list', { outputs: [] }, '/outputs too_few'],
    ['null', { outputs: null }, '/outputs wrong_type'],
    ['an object', { outputs: {} }, '/outputs wrong_type'],
    ['a list of names', { outputs: ['phone'] }, '/outputs/0 wrong_type'],
    ['a list with null', { outputs: [{ name: 'a' }, null] }, '/outputs/1 wrong_type'],
    ['eleven', { outputs: named(11) }, '/outputs too_many'],
    ['no name', { outputs: [{}] }, '/outputs/0/name required'],
    ['a name twice', { outputs: [...named(2), { name: 'o0' }] }, '/outputs/2/name conflict'],
    ['a name of the service', { outputs: [{ name: 'diff' }] }, '/outputs/0/name not_allowed'],
    ['capitals in a name', { outputs: [{ name: 'Phone' }] }, '/outputs/0/name invalid_value'],
    ['a path as a name', { outputs: [{ name: '../a' }] }, '/outputs/0/name invalid_value'],
    ['a long name', { outputs: [{ name: 'x'.repeat(33) }] }, '/outputs/0/name wrong_length'],
    ['an unknown option', one({ formt: 'pdf' }), '/outputs/0/formt unknown_field'],
    ['an option of the capture', one({ stable: true }), '/outputs/0/stable unknown_field'],
    ['outputs of an output', one({ outputs: 1 }), '/outputs/0/outputs unknown_field'],
    [
      'a prototype',
      JSON.parse('{"outputs":[{"name":"a","__proto__":1}]}') as object,
      '/outputs/0/__proto__ unknown_field',
    ],
    ['an unknown format', one({ format: 'gif' }), '/outputs/0/format not_allowed'],
    ['an unknown device', one({ device: 'iphone-15-prp' }), '/outputs/0/device invalid_value'],
    ['a selector that is none', one({ selector: 'p[' }), '/outputs/0/selector invalid_value'],
    ['null in an output', one({ full_page: null }), '/outputs/0/full_page wrong_type'],
    ['an option of another format', one({ format: 'pdf', quality: 5 }), '/outputs/0/quality not_for_format'],
    ['two framings', one({ full_page: true, selector: 'p' }), '/outputs/0/selector conflict'],
    ['part of a clip', one({ clip_x: 1, clip_y: 1, clip_width: 9 }), '/outputs/0/clip_height conflict'],
    ['an option without the one that it needs', one({ max_height: 10 }), '/outputs/0/max_height conflict'],
    [
      'a huge window',
      one({ viewport_width: 7680, viewport_height: 7680, device_scale_factor: 2 }),
      '/outputs/0/viewport_height out_of_range',
    ],
    [
      'faults of several',
      {
        outputs: [
          { name: 'a', max_height: 1 },
          { name: 'b', selector_padding: 1 },
        ],
      },
      '/outputs/0/max_height conflict',
      '/outputs/1/selector_padding conflict',
    ],
    [
      'an option that no format takes',
      { quality: 50, outputs: [{ name: 'a' }, { name: 'b', format: 'pdf' }] },
      '/quality not_for_format',
    ],
    [
      'an option that each output contradicts',
      { full_page: true, ...one({ selector: 'p' }) },
      '/full_page conflict',
    ],
    ['two framings for all', { full_page: true, selector: 'p', ...one({}) }, '/selector conflict'],
    ['an option that needs another, for all', { max_height: 500, ...one({}) }, '/max_height conflict'],
    [
      'a fault of the capture beside them',
      { delay_ms: 5_000, timeout_ms: 5_000, ...one({}) },
      '/delay_ms conflict',
    ],
  ])('%s', (_, raw, ...expected) => {
    expect(faultsOf(raw).map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(expected);
  });

  it('names what an unknown option may have been', () => {
    expect(faultsOf(one({ formt: 'pdf' }))[0]?.detail).toContain('did you mean format?');
    expect(faultsOf(one({ timeout_ms: 5_000 }))[0]?.detail).toContain('of the whole capture');
    expect(faultsOf(one({ device: 'iphone-15-prp' }))[0]?.detail).toContain('did you mean iphone-15-pro?');
  });
});

describe(outputsOf.name, () => {
  const qualities = (raw: object, operator?: DefaultOptions): unknown[] =>
    resolved(raw, operator).map(({ quality }) => quality);
  const resolved = (raw: object, operator?: DefaultOptions): Partial<CaptureOptions>[] =>
    outputsOf(parseOptions({ url, ...raw }, operator)).map(({ options }) => options);

  it('is one file without outputs', () => {
    const options = parseOptions({ url, format: 'pdf' });
    expect(outputsOf(options)).toEqual([{ name: 'result', options }]);
    expect(formatsOfOutputs(options)).toEqual(['pdf']);
  });

  it('puts the options of each over those of the capture', () => {
    const outputs = [
      { name: 'a' },
      { name: 'b', quality: 90, full_page: false },
      { name: 'c', format: 'png' },
    ];
    expect(resolved({ format: 'jpeg', quality: 40, full_page: true, stable: true, outputs })).toMatchObject([
      { format: 'jpeg', quality: 40, full_page: true, stable: true, url },
      { format: 'jpeg', quality: 90, full_page: false, stable: true, url },
      { format: 'png', full_page: true, stable: true, url },
    ]);
    // PNG has no quality.
    expect(qualities({ format: 'jpeg', quality: 40, outputs })).toEqual([40, 90, undefined]);
  });

  it('leaves out what contradicts the options of an output', () => {
    const outputs = [
      { name: 'all' },
      { name: 'one', selector: 'p' },
      { name: 'sheet', format: 'pdf' },
      { name: 'phone', device: 'iphone-15-pro' },
    ];
    const [all, one, sheet, phone] = resolved({
      full_page: true,
      max_height: 500,
      viewport_width: 900,
      outputs,
    });
    expect(all).toMatchObject({ full_page: true, max_height: 500, viewport_width: 900 });
    expect(one).toMatchObject({ full_page: false, selector: 'p', max_height: 20_000, viewport_width: 900 });
    expect(sheet).toMatchObject({ full_page: false, viewport_width: 900 });
    expect(phone).toMatchObject({ device: 'iphone-15-pro', full_page: true });
    expect(phone?.viewport_width).toBeUndefined();
  });

  it('lets an output need what only the capture states, and the other way around', () => {
    const outputs = [{ name: 'a', full_page: true }, { name: 'b' }];
    expect(resolved({ max_height: 500, outputs })).toMatchObject([
      { full_page: true, max_height: 500 },
      { full_page: false, max_height: 20_000 },
    ]);
    expect(resolved({ selector: 'p', outputs: [{ name: 'a', selector_padding: 9 }] })).toMatchObject([
      { selector: 'p', selector_padding: 9 },
    ]);
  });

  it('puts the defaults of the operator below, as far as they fit', () => {
    const operator = new DefaultOptions({ format: 'webp', quality: 30, sticky: 'hide', pdf_scale: 1.5 });
    const outputs = [{ name: 'a' }, { name: 'b', format: 'pdf' }, { name: 'c', sticky: 'keep' }];
    expect(resolved({ outputs }, operator)).toMatchObject([
      { format: 'webp', quality: 30, sticky: 'hide', pdf_scale: 1 },
      { format: 'pdf', sticky: 'keep' },
      { format: 'webp', quality: 30, sticky: 'keep' },
    ]);
    expect(qualities({ outputs }, operator)).toEqual([30, undefined, 30]);
  });

  it('takes outputs of a row over those of its batch, and none when the row unsets them', () => {
    const defaults = { format: 'jpeg', outputs: [{ name: 'a' }, { name: 'b' }] };
    const namesOf = (row: object): string[] =>
      outputsOf(parseOptionsOver(defaults, { url, ...row })).map(({ name }) => name);
    expect(namesOf({})).toEqual(['a', 'b']);
    expect(namesOf({ outputs: [{ name: 'c' }] })).toEqual(['c']);
    expect(namesOf({ outputs: null })).toEqual(['result']);
  });

  it('is the same for a stored job', () => {
    const operator = new DefaultOptions({ quality: 30, full_page: true });
    const outputs = [
      { name: 'a', format: 'jpeg' },
      { name: 'b', selector: 'p' },
    ];
    const options = parseOptions({ url, cookies: [{ name: 'x', value: 'y' }], outputs }, operator);
    const { stored } = storedOptions(options);
    const restored = restoreOptions(JSON.parse(JSON.stringify(stored)) as typeof stored, null);
    expect(outputsOf(restored)).toEqual(outputsOf(options));
    expect(formatsOfOutputs(restored)).toEqual(['jpeg', 'png']);
  });

  it('shares the html of the capture', () => {
    const html = '<p>x</p>'.repeat(10_000);
    const options = parseOptions({ html, outputs: named(10) });
    for (const { options: own } of outputsOf(options)) expect(own.html).toBe(options.html);
  });
});
