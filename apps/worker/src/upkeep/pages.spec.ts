import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { forEach, inPages } from './pages.js';

const rows = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe(forEach, () => {
  it('calls the store for eight rows at a time', async () => {
    let [running, most] = [0, 0];
    const { done, fault } = await forEach(rows(20), async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    });
    expect([done, fault, most]).toEqual([rows(20), undefined, 8]);
  });

  it('leaves rows that fail to a later run, and goes on with the others', async () => {
    const failing = [0, 1, 2, 3, 4, 5, 6, 12];
    const { done, fault } = await forEach(rows(20), (row) =>
      failing.includes(row) ? Promise.reject(new Error(`row ${row}`)) : Promise.resolve(),
    );
    expect(done).toEqual(rows(20).filter((row) => !failing.includes(row)));
    expect(fault?.cause).toEqual(new Error('row 12'));
  });

  it('tries no more rows when all calls at a time fail, as those to a store that is down', async () => {
    const tried: number[] = [];
    const { done, fault } = await forEach(rows(20), (row) => {
      tried.push(row);
      return row < 8 ? Promise.resolve() : Promise.reject(new Error('down'));
    });
    expect([done, tried]).toEqual([rows(8), rows(16)]);
    expect(fault).toBeInstanceOf(Error);
  });
});

describe(inPages, () => {
  const { signal } = new AbortController();
  const FULL = 500;

  afterEach(() => {
    jest.useRealTimers();
  });

  it('reads pages of 500 rows, each after the last row of the one before, up to one that is not full', async () => {
    const asked: unknown[] = [];
    const seen: number[] = [];
    await inPages<number>(
      ({ limit, after }) => {
        asked.push([limit, after]);
        return Promise.resolve(after === undefined ? rows(FULL) : [FULL]);
      },
      (some) => Promise.resolve(void seen.push(...some)),
      signal,
    );
    expect(asked).toEqual([
      [FULL, undefined],
      [FULL, FULL - 1],
    ]);
    expect(seen).toEqual(rows(FULL + 1));
  });

  it.each(['thirty seconds have passed', 'the run is to end'])('begins no page once %s', async (what) => {
    jest.useFakeTimers();
    const ending = new AbortController();
    let pages = 0;
    await inPages<number>(
      () => Promise.resolve(rows(FULL)),
      () => {
        pages += 1;
        if (what === 'the run is to end' && pages === 3) ending.abort();
        jest.advanceTimersByTime(10_000);
        return Promise.resolve();
      },
      ending.signal,
    );
    expect(pages).toBe(3);
  });
});
