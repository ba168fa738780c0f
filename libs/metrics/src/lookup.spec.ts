import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Lookup } from './lookup.js';

Logger.overrideLogger(false);

describe(Lookup.name, () => {
  it('returns the value', async () => {
    await expect(new Lookup('it', () => Promise.resolve(7)).find()).resolves.toBe(7);
  });

  it('returns nothing when the lookup fails, and tries again the next time', async () => {
    let looks = 0;
    const lookup = new Lookup('it', () =>
      ++looks === 1 ? Promise.reject(new Error('away')) : Promise.resolve(looks),
    );
    await expect(lookup.find()).resolves.toBeUndefined();
    await expect(lookup.find()).resolves.toBe(2);
  });

  it('times out when the lookup hangs, and starts no second one beside it', async () => {
    let looks = 0;
    const hanging = Promise.withResolvers<number>();
    const lookup = new Lookup('it', () => (++looks === 1 ? hanging.promise : Promise.resolve(2)), 1);
    await expect(lookup.find()).resolves.toBeUndefined();
    await expect(lookup.find()).resolves.toBeUndefined();
    expect(looks).toBe(1);
    hanging.resolve(1);
    await expect(lookup.find()).resolves.toBe(1);
    await expect(lookup.find()).resolves.toBe(2);
  });
});
