import { describe, expect, it } from '@jest/globals';
import type { AppError } from '@app/kernel';
import { idempotencyKeyOf } from './idempotency.js';

const keyOf = (...values: string[]) =>
  idempotencyKeyOf({ rawHeaders: ['Host', 'x', ...values.flatMap((value) => ['idempotency-KEY', value])] });

function refusalOf(...values: string[]): unknown {
  try {
    return keyOf(...values);
  } catch (error) {
    const { code, facts } = error as AppError;
    return [code, facts.errors?.map((fault) => `${fault.pointer} ${fault.code}`)];
  }
}

describe('the Idempotency-Key of a request', () => {
  it('is undefined without the header', () => {
    expect(keyOf()).toBeUndefined();
  });

  it.each([
    ['a', 'a'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"8e03978e-40d5"', '8e03978e-40d5'],
    ['  padded ', 'padded'],
    ['two words', 'two words'],
    ['"  "', '  '],
    ['a"b', 'a"b'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['a\\b', 'a\\b'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('is read from %s', (header, key) => {
    expect(keyOf(header)).toBe(key);
  });

  it.each([
    ['nothing', [''], 'wrong_length'],
    ['white space', ['   '], 'wrong_length'],
    ['empty quotes', ['""'], 'wrong_length'],
    ['256 characters', ['x'.repeat(256)], 'wrong_length'],
    ['256 quoted characters', [`"${'x'.repeat(256)}"`], 'wrong_length'],
    ['a tab', ['a\tb'], 'invalid_characters'],
    ['another alphabet', ['schl\u00fcssel'], 'invalid_characters'],
    ['DEL', ['a\x7f'], 'invalid_characters'],
    ['one quote', ['"'], 'invalid_value'],
    ['an open quote', ['"abc'], 'invalid_value'],
    ['text after the quotes', ['"abc"d'], 'invalid_value'],
    ['parameters', ['"abc";a=1'], 'invalid_value'],
    ['an unknown escape', ['"a\\b"'], 'invalid_value'],
    ['two headers', ['a', 'a'], 'repeated'],
  ])('is refused with a fault that names the header: %s', (_, values, code) => {
    expect(refusalOf(...values)).toEqual(['invalid_request', [`Idempotency-Key ${code}`]]);
  });
});
