import { describe, expect, it } from '@jest/globals';
import { isOutage } from './outage.js';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

describe(isOutage, () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['one of several addresses that refused', new AggregateError([withCode('ECONNREFUSED')])],
    ['a database that shuts down', withCode('57P01')],
    ['too many connections', withCode('53300')],
    ['what a driver wrapped', Object.assign(new Error('x'), { driverError: withCode('08006') })],
    ['a cause', new Error('x', { cause: withCode('EPIPE') })],
  ])('is %s', (_, error) => {
    expect(isOutage(error)).toBe(true);
  });

  it.each([
    ['a bug', new TypeError('x')],
    ['a statement that is wrong', withCode('42601')],
    ['a missing file', withCode('ENOENT')],
    ['no error', 'ECONNREFUSED'],
  ])('is not %s', (_, error) => {
    expect(isOutage(error)).toBe(false);
  });
});
