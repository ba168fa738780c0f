import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@app/kernel';
import { LookupCache } from './lookup-cache.js';

const always = (): boolean => true;

describe(LookupCache.name, () => {
  const clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
  const passMs = (ms: number): void => {
    clock.set(new Date(clock.now().getTime() + ms));
  };
  let answers: (() => Promise<string | null>)[] = [];
  let reads = 0;
  const read = (): Promise<string | null> => {
    reads++;
    return (answers.shift() ?? (() => Promise.resolve('row')))();
  };

  it('answers from memory for 4 s, also while the database is down, and fails after that', async () => {
    const cache = new LookupCache(clock, read);
    expect((await cache.find('a', always)).row).toBe('row');
    answers = [() => Promise.reject(new Error('down')), () => Promise.reject(new Error('down'))];
    passMs(3_999);
    expect((await cache.find('a', always)).row).toBe('row');
    passMs(1);
    await expect(cache.find('a', always)).rejects.toThrow('down');
    // The failure is not remembered, and neither is it an unknown key.
    await expect(cache.find('a', () => false)).rejects.toThrow('down');
    expect((await cache.find('a', () => false)).row).toBe('row');
  });

  it('counts the age of an answer from before its query', async () => {
    const cache = new LookupCache(clock, read);
    const before = clock.now().getTime();
    answers = [
      () => {
        passMs(3_000);
        return Promise.resolve('slow');
      },
    ];
    expect(await cache.find('a', always)).toEqual({ row: 'slow', until: before + 4_000 });
  });

  it('does not remember an answer from before it was forgotten, whichever answer comes last', async () => {
    const cache = new LookupCache(clock, read);
    const [before, after] = [Promise.withResolvers<string | null>(), Promise.withResolvers<string | null>()];
    answers = [() => before.promise, () => after.promise];
    const first = cache.find('a', always);
    cache.forget('a');
    const second = cache.find('a', always);
    before.resolve('ended');
    expect((await first).row).toBe('ended');
    after.resolve(null);
    expect((await second).row).toBeNull();
    answers = [() => Promise.resolve('read again')];
    expect((await cache.find('a', always)).row).toBeNull();
  });

  it('does not remember an answer from before it was forgotten that comes after the one from then on', async () => {
    const cache = new LookupCache(clock, read);
    const before = Promise.withResolvers<string | null>();
    answers = [() => before.promise, () => Promise.resolve(null)];
    const first = cache.find('a', always);
    cache.forget('a');
    expect((await cache.find('a', always)).row).toBeNull();
    before.resolve('ended');
    expect((await first).row).toBe('ended');
    expect((await cache.find('a', always)).row).toBeNull();
  });

  it('reads again after the clock was set back', async () => {
    const cache = new LookupCache(clock, read);
    await cache.find('a', always);
    reads = 0;
    passMs(-1);
    await cache.find('a', always);
    passMs(-3_600_000);
    await cache.find('a', always);
    expect(reads).toBe(2);
  });

  it('shares one query among requests that come together, and forgets a failed one', async () => {
    const cache = new LookupCache(clock, read);
    reads = 0;
    answers = [() => Promise.reject(new Error('down'))];
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => cache.find('a', always)));
    expect([reads, new Set(all.map(({ status }) => status))]).toEqual([1, new Set(['rejected'])]);
    await Promise.all(Array.from({ length: 20 }, () => cache.find('a', always)));
    expect(reads).toBe(2);
  });

  it('keeps the latest 10,000 ids, and unknown ones do not evict known ones', async () => {
    const cache = new LookupCache(clock, (id) => Promise.resolve(id.startsWith('known') ? id : null));
    await cache.find('known', always);
    for (let i = 0; i < 10_001; i++) await cache.find(`no ${i}`, always);
    const mayNot = (): boolean => false;
    expect((await cache.find('known', mayNot)).row).toBe('known');
    let lookups = 0;
    const count = (): boolean => ++lookups > 0;
    await cache.find('no 10000', count);
    expect(lookups).toBe(0);
    await cache.find('no 0', count);
    expect(lookups).toBe(1);
  });
});
