import { describe, expect, it } from '@jest/globals';
import { defaultText, readValue } from './option-values.js';

describe('the value of an option', () => {
  it.each([
    ['string', '12', '12'],
    ['integer', '12', 12],
    ['number', ' 0.5 ', 0.5],
    ['integer', 'wide', 'wide'],
    ['integer', '', ''],
    ['boolean', 'true', true],
    ['array', '["4xx"]', ['4xx']],
    ['array', '.ad, .popup', ['.ad', '.popup']],
    ['object', '{"a":1}', { a: 1 }],
    ['object', '{"a"', '{"a"'],
  ] as const)('of type %s is read from %j', (type, text, value) => {
    expect(readValue({ type }, text)).toEqual(value);
  });

  it('is shown as it is typed', () => {
    expect([defaultText('a'), defaultText(0.5), defaultText(['4xx'])]).toEqual(['a', '0.5', '["4xx"]']);
  });
});
