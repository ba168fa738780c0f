import { describe, expect, it } from '@jest/globals';
import { AppError } from '../errors/app-error.js';
import { Choice, Decimal, Flag, Items, Part, Text, TextList, TextMap, Whole } from './decorators.js';
import { fieldsOf, schemaOf } from './field-spec.js';
import { readTexts } from './read-text.js';
import { faultsOf, instantiate, parse } from './validate.js';

class Wheel {
  @Text('Name of the wheel.', { max: 10 })
  name?: string;

  @Whole('Spokes.', { min: 1, max: 99 })
  spokes = 32;
}

/** The values that the `check` rules of `Chain` were called with. */
const checked: unknown[] = [];
const check = (value: unknown): undefined => void checked.push(value);

class Chain {
  @Text('Maker.', { max: 5, check })
  maker?: string;

  @TextList('Links.', { maxItems: 2, maxLength: 5, check })
  links?: string[];
}

class Bicycle {
  @Flag('Has a light.')
  light = true;

  @Whole('Gears.', { min: 1, max: 30 })
  gears = 7;

  @Decimal('Weight in kg.', { min: 0.5, max: 50 })
  weight?: number;

  @Choice(['red', 'blue'], 'Colour.')
  colour = 'red';

  @Text('Owner.', { max: 20, pattern: /^[A-Z]/, message: 'must start with a capital letter' })
  owner?: string;

  @TextList('Stickers.', { maxItems: 2, maxLength: 5 })
  stickers: string[] = [];

  @TextMap('Labels.')
  labels?: Record<string, string>;

  @Items(Wheel, 'Wheels.', { maxItems: 3 })
  wheels: Wheel[] = [];

  @Text('Lock code.', {
    max: 9,
    secret: true,
    check: (code: string) => (code === '0000' ? 'is too easy' : undefined),
  })
  lock?: string;
}

const codes = (raw: unknown): string[] =>
  faultsOf(Bicycle, raw).map(({ pointer, code }) => `${pointer} ${code}`);

class Trailer {
  @Part(Bicycle, 'The bicycle that draws it.')
  bicycle?: Readonly<Record<string, unknown>>;
}

describe('fields', () => {
  it('fills in the defaults of absent fields', () => {
    expect({ ...parse(Bicycle, {}) }).toEqual({
      light: true,
      gears: 7,
      colour: 'red',
      stickers: [],
      wheels: [],
    });
  });

  it('keeps a given value, even if it is false', () => {
    expect(parse(Bicycle, { light: false, weight: 0.5 })).toMatchObject({ light: false, weight: 0.5 });
  });

  it.each([
    [{ light: 'false' }, '/light wrong_type'],
    [{ light: null }, '/light wrong_type'],
    [{ gears: '7' }, '/gears wrong_type'],
    [{ gears: 1.5 }, '/gears wrong_type'],
    [{ gears: 0 }, '/gears out_of_range'],
    [{ gears: 1e9 }, '/gears out_of_range'],
    [{ gears: NaN }, '/gears wrong_type'],
    [{ weight: Infinity }, '/weight wrong_type'],
    [{ colour: 'RED' }, '/colour not_allowed'],
    [{ colour: '' }, '/colour not_allowed'],
    [{ owner: '' }, '/owner wrong_length'],
    [{ owner: 5 }, '/owner wrong_type'],
    [{ owner: 'anna' }, '/owner invalid_value'],
    [{ owner: 'An\0na' }, '/owner invalid_characters'],
    [{ owner: 'A\uD800' }, '/owner invalid_characters'],
    [{ stickers: 'a' }, '/stickers wrong_type'],
    [{ stickers: ['a', 'b', 'c'] }, '/stickers too_many'],
    [{ stickers: [1] }, '/stickers wrong_type'],
    [{ stickers: ['too long'] }, '/stickers wrong_length'],
    [{ labels: ['a'] }, '/labels wrong_type'],
    [{ labels: { a: 1 } }, '/labels wrong_type'],
    [{ wheels: {} }, '/wheels wrong_type'],
    [{ wheels: [null] }, '/wheels/0 wrong_type'],
    [{ wheels: [{ spokes: 3 }, { spokes: 100 }] }, '/wheels/1/spokes out_of_range'],
    [{ wheels: [{ spoke: 3 }] }, '/wheels/0/spoke unknown_field'],
    [{ lock: '0000' }, '/lock invalid_value'],
  ])('refuses %j', (raw, fault) => {
    expect(codes(raw)).toEqual([fault]);
  });

  it.each([[null], [[]], ['text'], [5], [undefined]])('refuses %j as a whole', (raw) => {
    expect(codes(raw)).toEqual([' wrong_type']);
  });

  it('reports every fault of every field, in the order of the fields', () => {
    expect(codes({ gears: 0, colour: 'green', light: 1 })).toEqual([
      '/light wrong_type',
      '/gears out_of_range',
      '/colour not_allowed',
    ]);
  });

  it('leaves the fields of a part to its reader', () => {
    expect(faultsOf(Trailer, { bicycle: { gears: 'many' } })).toEqual([]);
    expect(faultsOf(Trailer, { bicycle: [] })).toEqual([
      { pointer: '/bicycle', code: 'wrong_type', detail: 'must be a JSON object' },
    ]);
    expect(schemaOf(Trailer).properties).toMatchObject({ bicycle: { properties: { gears: {} } } });
  });

  it('suggests a known field for only a few of many unknown ones', () => {
    const raw = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`gear${i}`, 1]));
    const hints = faultsOf(Bicycle, raw).filter(({ detail }) => detail.includes('did you mean gears?'));
    expect(hints.length).toBeGreaterThan(0);
    expect(hints.length).toBeLessThan(10);
  });

  it('suggests the nearest known field for an unknown one', () => {
    expect(faultsOf(Bicycle, { gear: 3 })).toEqual([
      { pointer: '/gear', code: 'unknown_field', detail: 'is not a known field; did you mean gears?' },
    ]);
  });

  it('refuses names that would reach a prototype', () => {
    const raw: unknown = JSON.parse('{"__proto__": {"gears": 3}, "constructor": {"prototype": {}}}');
    expect(codes(raw)).toEqual(['/__proto__ unknown_field', '/constructor unknown_field']);
    expect(({} as { gears?: number }).gears).toBeUndefined();
  });

  it('throws invalid_request whose detail names the first field', () => {
    const attempt = (): unknown => parse(Bicycle, { gears: 99, colour: 'x' });
    expect(attempt).toThrow(AppError);
    expect(attempt).toThrow('gears must be a whole number between 1 and 30 (and 1 more)');
  });

  it('fills in the defaults of a stored row without validating it again', () => {
    expect(instantiate(Bicycle, { gears: 99 })).toMatchObject({ gears: 99, colour: 'red' });
  });

  it('reads texts by the kind of their field and leaves invalid ones to validation', () => {
    const texts = {
      light: 'false',
      gears: '12',
      weight: '1.5',
      stickers: '["a"]',
      labels: 'no json',
      colour: 'blue',
      other: 'x',
    };
    expect(readTexts(Bicycle, texts)).toEqual({
      light: false,
      gears: 12,
      weight: 1.5,
      stickers: ['a'],
      labels: 'no json',
      colour: 'blue',
      other: 'x',
    });
    expect(readTexts(Bicycle, { gears: '0x10', light: 'yes', weight: '' })).toEqual({
      gears: '0x10',
      light: 'yes',
      weight: '',
    });
  });

  it('derives a schema with the rule, doc and default of each field', () => {
    expect(schemaOf(Bicycle)).toMatchObject({
      type: 'object',
      additionalProperties: false,
      properties: {
        gears: { type: 'integer', minimum: 1, maximum: 30, default: 7, description: 'Gears.' },
        wheels: { type: 'array', items: { type: 'object', properties: { spokes: { default: 32 } } } },
      },
    });
  });

  it('calls the check of a field only with values that satisfy the rules of its type', () => {
    const long = 'x'.repeat(6);
    for (const maker of [long, 5, null]) faultsOf(Chain, { maker });
    for (const links of [long, [long], ['a', 'b', 'c'], [5], 5]) faultsOf(Chain, { links });
    expect(new Set(checked)).toEqual(new Set());
    faultsOf(Chain, { maker: 'x', links: ['a'] });
    expect(new Set(checked)).toEqual(new Set(['x', ['a']]));
  });

  it('knows which fields are secret', () => {
    expect(fieldsOf(Bicycle).filter(({ secret }) => secret)).toHaveLength(1);
  });
});
