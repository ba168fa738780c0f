import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { isOutage, NoConnectionError } from './outage.js';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

describe(isOutage, () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['one of several addresses that refused', new AggregateError([withCode('ECONNREFUSED')])],
    ['a database that shuts down', withCode('57P01')],
    ['a database that became a standby', withCode('25006')],
    ['too many connections', withCode('53300')],
    ['what a driver wrapped', Object.assign(new Error('x'), { driverError: withCode('08006') })],
    ['a cause', new Error('x', { cause: withCode('EPIPE') })],
    ['a statement without a verdict', new QueryFailedError('SELECT 1', [], new Error('x'))],
    ['a connection that was lost between two statements', new QueryRunnerAlreadyReleasedError()],
    ['a transaction that could not begin', new NoConnectionError('x')],
  ])('is %s', (_, error) => {
    expect(isOutage(error)).toBe(true);
  });

  it.each([
    ['a bug', new TypeError('x')],
    ['a statement that is wrong', withCode('42601')],
    ['a statement that was refused', new QueryFailedError('SELECT 1', [], withCode('23505'))],
    [
      'a fault that was judged',
      new AppError('target_connection_failed', { cause: withCode('ECONNREFUSED') }),
    ],
    ['a missing file', withCode('ENOENT')],
    ['no error', 'ECONNREFUSED'],
  ])('is not %s', (_, error) => {
    expect(isOutage(error)).toBe(false);
  });
});
