import { describe, expect, it } from '@jest/globals';
import { StartupError } from '@app/kernel';
import { readPairs } from './name-value-pairs.js';

describe(readPairs.name, () => {
  it.each([
    ['', {}],
    ['authorization=Bearer%20a%3Db', { authorization: 'Bearer a=b' }],
    [' x-team = capture , x-key=a=b,', { 'x-team': 'capture', 'x-key': 'a=b' }],
    ['x-empty=', { 'x-empty': '' }],
  ])('reads %j', (text, headers) => {
    expect(readPairs('OTEL_X', text)).toEqual(headers);
  });

  it.each(['secret', 'a b=secret', 'x-key=%secret'])('refuses %j without repeating it', (text) => {
    expect(() => readPairs('OTEL_X', text)).toThrow(
      new StartupError('OTEL_X: pair 1 is not of the form name=value.'),
    );
    expect(() => readPairs('OTEL_X', text)).not.toThrow(/secret/);
  });
});
