import { describe, expect, it } from '@jest/globals';
import { StartupError } from '@app/kernel';
import { readHeaders } from './otlp-headers.js';

describe(readHeaders.name, () => {
  it.each([
    ['', {}],
    ['authorization=Bearer%20a%3Db', { authorization: 'Bearer a=b' }],
    [' x-team = capture , x-key=a=b,', { 'x-team': 'capture', 'x-key': 'a=b' }],
    ['x-empty=', { 'x-empty': '' }],
  ])('reads %j', (text, headers) => {
    expect(readHeaders(text)).toEqual(headers);
  });

  it.each(['secret', 'x-team=a,=secret', 'a b=secret', 'x-key=%secret'])(
    'refuses %j without repeating it',
    (text) => {
      expect(() => readHeaders(text)).toThrow(StartupError);
      expect(() => readHeaders(text)).not.toThrow(/secret/);
    },
  );
});
