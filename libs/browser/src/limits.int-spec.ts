import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { onePagePool } from '../../../test/support/one-page-pool.js';
import { eventually } from '../../../test/support/eventually.js';
import { browsersOf } from '../../../test/support/processes.js';
import type { BrowserPool } from './browser-pool.js';
import { usageOf } from './group-usage.js';
import { evaluate } from '../../../test/support/evaluate.js';

jest.setTimeout(60_000);
// What a slot says of the browsers that die here is no news.
Logger.overrideLogger(false);

const never = new AbortController().signal;
const pools: BrowserPool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

async function startPool(...settings: Parameters<typeof onePagePool>): Promise<BrowserPool> {
  const pool = onePagePool(...settings);
  pools.push(pool);
  await pool.start();
  return pool;
}

/** Holds the memory in the page until it is gone. */
function takeMemory(bytes: number): Promise<never> {
  Object.assign(globalThis, { kept: new Uint8Array(bytes).fill(1) });
  return new Promise(() => undefined);
}

describe('the memory of a browser', () => {
  it('past its limit ends that browser, as resource_limit, and no other', async () => {
    const pool = await startPool({ WORKER_SLOTS: 2, BROWSER_MAX_MEMORY_BYTES: 400_000_000 });
    await eventually('both slots are ready', () => pool.state().healthy === 2);
    await pool.withPage(never, async (neighbour) => {
      const loss = await pool.withPage(never, ({ page, lost }) => {
        evaluate(page, takeMemory, 600_000_000).catch(() => undefined);
        return lost;
      });
      expect(loss.toBody()).toMatchObject({ code: 'resource_limit', retryable: false });
      expect(await evaluate(neighbour.page, () => 6 * 7)).toBe(42);
      await eventually('one slot is fresh', () => pool.state().restarts === 1 && pool.state().healthy === 2);
    });
  });

  it('is that of all its processes, and of nothing but them', async () => {
    const pool = await startPool();
    await pool.withPage(never, async ({ page }) => {
      const rows = browsersOf(process.pid);
      const [group = 0] = rows.map((row) => row.group);
      const usage = () => usageOf(new Set([group])).get(group) ?? { processes: 0, bytes: 0 };
      const before = usage();
      expect(before.processes).toBe(rows.length);
      evaluate(page, takeMemory, 100_000_000).catch(() => undefined);
      await eventually('it grows by what the page takes', () => {
        const grown = usage().bytes - before.bytes;
        return grown > 90_000_000 && grown < 200_000_000;
      });
      expect(usageOf(new Set([2 ** 22 + 1]))).toEqual(new Map());
    });
  });
});
