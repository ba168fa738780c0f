import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';

describe(canonicalJson, () => {
  it('sorts the fields of objects at every depth', () => {
    const value = { b: [{ d: 1, c: 'x' }], a: { f: null, e: true } };
    expect(canonicalJson(value)).toBe('{"a":{"e":true,"f":null},"b":[{"c":"x","d":1}]}');
  });

  it('keeps the order of a list', () => {
    expect(canonicalJson(['b', 'a', 2, 1])).toBe('["b","a",2,1]');
  });

  it('sorts names that are numbers as texts', () => {
    expect(canonicalJson({ 9: 'a', 10: 'b' })).toBe('{"10":"b","9":"a"}');
  });

  it('leaves out undefined fields, and writes undefined items as null', () => {
    const value = { a: undefined, b: [undefined, 'x', [undefined]] };
    expect(canonicalJson(value)).toBe('{"b":[null,"x",[null]]}');
    expect(canonicalJson(value)).toBe(JSON.stringify(value));
  });

  it('escapes texts and names', () => {
    const value = { '"\n': 'é"\u2028' };
    expect(canonicalJson(value)).toBe(JSON.stringify(value));
  });
});
