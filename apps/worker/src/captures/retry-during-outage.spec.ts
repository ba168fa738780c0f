import { describe, expect, it } from '@jest/globals';
import { retryDuringOutage, OutageTooLongError } from './retry-during-outage.js';

const away = () => Object.assign(new Error('x'), { code: 'ECONNREFUSED' });

/** Work that fails with these errors, one after the other, and then is done. */
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
  it('does the work once when nothing is wrong', async () => {
    expect(await retryDuringOutage(failing().work)).toBe(1);
  });

  it('tries again until the database is back', async () => {
    const { work } = failing(away(), away(), away());
    expect(await retryDuringOutage(work, { holdMs: 60_000, pauseMs: 1 })).toBe(4);
  });

  it('gives up in the end, with the reason', async () => {
    const { work } = failing(...Array.from({ length: 1_000 }, away));
    const error: unknown = await retryDuringOutage(work, { holdMs: 20, pauseMs: 1 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(OutageTooLongError);
    expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('does not repeat what fails for another reason', async () => {
    const { work, calls } = failing(new TypeError('x'));
    await expect(retryDuringOutage(work)).rejects.toThrow(TypeError);
    expect(calls()).toBe(1);
  });
});
