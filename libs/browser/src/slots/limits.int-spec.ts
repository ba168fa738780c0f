import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { eventually } from '../../../../test/support/eventually.js';
import { browsersOf } from '../../../../test/support/processes.js';
import type { BrowserPoolService } from './browser-pool.service.js';
import { usageOf } from '../watchdog/group-usage.js';
import { evaluate, onePagePool } from '../../../../test/support/browser.js';

jest.setTimeout(60_000);
// The warnings about browsers that die here are expected.
Logger.overrideLogger(false);

const never = new AbortController().signal;
const pools: BrowserPoolService[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

async function startPool(...settings: Parameters<typeof onePagePool>): Promise<BrowserPoolService> {
  const pool = onePagePool(...settings);
  pools.push(pool);
  await pool.start();
  return pool;
}

/** Keeps memory allocated until the page is closed. */
function takeMemory(bytes: number): Promise<never> {
  Object.assign(globalThis, { kept: new Uint8Array(bytes).fill(1) });
  return new Promise(() => undefined);
}

const isRoot = process.getuid?.() === 0;

function usageWithoutCapabilities(group: number): number {
  const source = path.join(import.meta.dirname, '../watchdog/group-usage.ts');
  const script = `
    import { usageOf } from '${source}';
    console.log(usageOf(new Set([${group}]), 0).get(${group}).bytes);`;
  const node = [process.execPath, '--input-type=module', '--eval', script];
  return Number(execFileSync('setpriv', ['--bounding-set=-all', ...node], { encoding: 'utf8' }));
}

/** Shows two pictures of 64 MB, which are in shared memory. */
async function shareMemory(): Promise<void> {
  const source = new OffscreenCanvas(4_000, 4_000);
  source.getContext('2d')?.fillRect(0, 0, 4_000, 4_000);
  for (let count = 0; count < 2; count += 1) {
    const canvas = document.createElement('canvas');
    canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(await createImageBitmap(source));
    document.body.prepend(canvas);
  }
}

describe('the processes of a browser', () => {
  it('end it beyond their limit, with resource_limit', async () => {
    // Every browser has more processes.
    const pool = await startPool({ BROWSER_MAX_PROCESSES: 3 });
    const loss = await pool.withPage(never, ({ lost }) => lost);
    expect(loss.toBody()).toMatchObject({
      code: 'resource_limit',
      retryable: false,
      detail: expect.stringContaining('more than 3 processes'),
    });
  });
});

describe('the memory of a browser', () => {
  it('ends that browser beyond its limit, with resource_limit, and no other', async () => {
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

  it('is that of all of its processes, and of no others', async () => {
    const pool = await startPool();
    await pool.withPage(never, async ({ page }) => {
      const rows = browsersOf(process.pid);
      const [group = 0] = rows.map((row) => row.group);
      const usage = () => usageOf(new Set([group]), 0).get(group) ?? { processes: 0, bytes: 0, cpuS: 0 };
      const before = usage();
      expect(before.processes).toBe(rows.length);
      evaluate(page, takeMemory, 100_000_000).catch(() => undefined);
      await eventually('it grows by what the page takes', () => {
        const grown = usage().bytes - before.bytes;
        return grown > 90_000_000 && grown < 200_000_000;
      });
      expect(usageOf(new Set([2 ** 22 + 1]), 0)).toEqual(new Map());
    });
  });

  it('counts shared memory once', async () => {
    const pool = await startPool();
    await pool.withPage(never, async ({ page }) => {
      const [{ group } = { group: 0 }] = browsersOf(process.pid);
      const usage = (limit: number) => usageOf(new Set([group]), limit).get(group)?.bytes ?? 0;
      const before = usage(0);
      await evaluate(page, shareMemory);
      // The page and the process that draws it share two canvases of 64 MB.
      await page.screenshot();
      await eventually('all of it is seen', () => usage(0) - before > 120_000_000);
      expect(usage(0) - before).toBeLessThan(300_000_000);
      expect(usage(Infinity)).toBeGreaterThan(usage(0));
      // A root without capabilities, as in a container, sees the sum.
      if (isRoot) expect(usageWithoutCapabilities(group)).toBeGreaterThan(usage(0));
    });
  });
});
