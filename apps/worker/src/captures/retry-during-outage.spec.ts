import { describe, expect, it } from '@jest/globals';
import { retryDuringOutage, OutageTooLongError } from './retry-during-outage.js';

const connectionRefused = () => Object.assign(new Error('x'), { code: 'ECONNREFUSED' });

/** Work that fails with each of these errors in turn, and then succeeds. */
const failing = (...errors: Error[]) => {
  let calls = 0;
  const work = async () => {
    const error = errors[calls++];
    if (error) throw error;
    return calls;
  };
  return { work, calls: () => calls };
};

describe(retryDuringOutage, () => {
  it('does the work once when it succeeds', async () => {
    expect(await retryDuringOutage(failing().work)).toBe(1);
  });

  it('retries until the database is back', async () => {
    const { work } = failing(connectionRefused(), connectionRefused(), connectionRefused());
    expect(await retryDuringOutage(work, { timeoutMs: 60_000, delayMs: 1 })).toBe(4);
  });

  it('gives up after the timeout, with the cause', async () => {
    const { work } = failing(...Array.from({ length: 1_000 }, connectionRefused));
    const error: unknown = await retryDuringOutage(work, { timeoutMs: 20, delayMs: 1 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(OutageTooLongError);
    expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('does not retry after any other error', async () => {
    const { work, calls } = failing(new TypeError('x'));
    await expect(retryDuringOutage(work)).rejects.toThrow(TypeError);
    expect(calls()).toBe(1);
  });
});
