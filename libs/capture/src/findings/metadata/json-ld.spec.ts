import { describe, expect, it } from '@jest/globals';
import { namesOf, parseJsonLd, topEntities } from './json-ld.js';

const parse = (...scripts: string[]) => parseJsonLd(scripts, 10);

describe(parseJsonLd, () => {
  it.each([
    ['an object', '{"a": 1}', [{ a: 1 }]],
    ['the objects of a list', '[{"a": 1}, 2, "b", null, [{"c": 3}], {"d": 4}]', [{ a: 1 }, { d: 4 }]],
    ['JSON in a comment', '\n<!-- {"a": 1} -->\n', [{ a: 1 }]],
    ['JSON in a section', '//<![CDATA[\n{"a": 1}\n//]]>', [{ a: 1 }]],
    ['a text with a line break', '{"a": "b\nc\td"}', [{ a: 'b c d' }]],
    ['a text with an escaped NUL and half a character', '{"a": "b\\u0000c\\ud800d"}', [{ a: 'b c\ufffdd' }]],
    ['a name with an escaped NUL', '{"a\\u0000b": 1}', [{ 'a b': 1 }]],
    ['a simple value', '"a"', []],
  ])('reads %s', (_, script, items) => {
    expect(parse(script)).toEqual({ items, isCut: false });
  });

  it('leaves out the objects after very many values, and says so', () => {
    const many = JSON.stringify({ a: Array.from({ length: 30_000 }, () => 1) });
    const { items, isCut } = parse(many, '{"b": 1}');
    expect([items.length, isCut]).toEqual([1, true]);
    expect(topEntities(items)).toEqual(items);
  });

  it('skips what is no JSON, and says so', () => {
    expect(parse('{"a": 1}', '{a: 1}', '{"b": 2}')).toEqual({ items: [{ a: 1 }, { b: 2 }], isCut: true });
  });

  it('never returns a property that changes a prototype', () => {
    const { items, isCut } = parse('{"__proto__": {"a": 1}, "b": {"__proto__": 2}, "constructor": 3}');
    expect(items).toEqual([{ b: {}, constructor: 3 }]);
    expect(isCut).toBe(true);
    expect(Object.getOwnPropertyNames(items[0])).not.toContain('__proto__');
    expect(Object.getPrototypeOf(items[0])).toBe(Object.prototype);
  });

  it.each([
    ['levels', `{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['objects', `{"a": ${'{"b":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
    ['values', `{"a": [${'1,'.repeat(50_000)}1]}`],
    ['long lists', `{"a": [${'[],'.repeat(50_000)}1], "b": [${'{},'.repeat(50_000)}1]}`],
    ['characters', `{"a": "${'x'.repeat(2_001)}"}`],
    ['characters of all scripts', `{"a": [${' '.repeat(256_000)}]}`],
    ['characters of a name', `{"${'x'.repeat(201)}": 1}`],
    ['objects at its top', `[${'{},'.repeat(10)}{}]`],
  ])('cuts too many %s', (_, script) => {
    const { items, isCut } = parse(script);
    expect(isCut).toBe(true);
    expect(items.length).toBeLessThanOrEqual(10);
    expect(JSON.stringify(items).length).toBeLessThan(100_000);
  });

  it('keeps 32 levels, and cuts what is deeper', () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(parse(nested(32))).toEqual({ items: [JSON.parse(nested(32))], isCut: false });
    const { items, isCut } = parse(nested(33));
    expect([JSON.stringify(items), isCut]).toEqual([`[${nested(32).replace('1', 'null')}]`, true]);
  });

  it('keeps a text of exactly 2,000 characters', () => {
    const text = 'x'.repeat(2_000);
    expect(parse(JSON.stringify({ text }))).toEqual({ items: [{ text }], isCut: false });
  });
});

describe(topEntities, () => {
  it('are the objects at the top and those of a graph there', () => {
    const { items } = parse('[{"@graph": [{"name": "a"}, 1]}, {"name": "b", "review": {"name": "c"}}]');
    expect(topEntities(items).map(({ name }) => name)).toEqual([undefined, 'a', 'b']);
  });
});

describe(namesOf, () => {
  it.each([
    [{ name: ' Ada ' }, ['Ada']],
    ['Ada', ['Ada']],
    [
      [{ name: 'Ada' }, 'Bob', { '@id': '#c' }, 1, null],
      ['Ada', 'Bob'],
    ],
    ['https://example.com/ada', []],
    [undefined, []],
  ])('of %j are %j', (value, names) => {
    expect(namesOf(value)).toEqual(names);
  });
});
