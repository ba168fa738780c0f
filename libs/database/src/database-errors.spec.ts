import { describe, expect, it } from '@jest/globals';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { AppError } from '@app/kernel';
import { isOutage, NoConnectionError } from './database-errors.js';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

describe(isOutage, () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['a connection refused at one of several addresses', new AggregateError([withCode('ECONNREFUSED')])],
    ['a database that shuts down', withCode('57P01')],
    ['a database that became a standby', withCode('25006')],
    ['too many connections', withCode('53300')],
    ['a wrapped error of a driver', Object.assign(new Error('x'), { driverError: withCode('08006') })],
    ['an error with such a cause', new Error('x', { cause: withCode('EPIPE') })],
    ['a statement without a response', new QueryFailedError('SELECT 1', [], new Error('x'))],
    ['a connection lost between two statements', new QueryRunnerAlreadyReleasedError()],
    ['a transaction that could not be started', new NoConnectionError('x')],
  ])('is %s', (_, error) => {
    expect(isOutage(error)).toBe(true);
  });

  it.each([
    ['a bug', new TypeError('x')],
    ['an invalid statement', withCode('42601')],
    ['a refused statement', new QueryFailedError('SELECT 1', [], withCode('23505'))],
    [
      'an error that is classified already',
      new AppError('target_connection_failed', { cause: withCode('ECONNREFUSED') }),
    ],
    ['a missing file', withCode('ENOENT')],
    ['a text', 'ECONNREFUSED'],
  ])('is not %s', (_, error) => {
    expect(isOutage(error)).toBe(false);
  });
});
