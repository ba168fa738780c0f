import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Arena, itSurvives } from '../support/arena.js';
import { eventually } from '../support/eventually.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

const MEMORY = 500_000_000;

/** For a page that runs until a limit ends it. The timeout is long, because a busy machine takes time to get there. */
const UNTIL_LIMIT = { wait_for_function: 'false', timeout_ms: 45_000 };

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open({ hosts: 60, BROWSER_MAX_MEMORY_BYTES: MEMORY });
});
afterAll(() => arena.close());

// It is slow because each of these pages takes all memory or prints thousands of pages, which is CPU time that nothing saves.
describe('a page that takes all it can', () => {
  itSurvives(
    () => arena,
    [
      {
        title: 'P9 is 200,000 px high',
        page: 'tall.html',
        options: { full_page: true },
        ends: ['file'],
        facts: { height: 20_000, pageHeight: 200_000, truncated: true },
      },
      {
        title: 'P9 prints 20,000 pages, each broken by its style',
        page: 'pages.html?count=20000',
        options: { format: 'pdf', timeout_ms: 60_000 },
        ends: ['resource_limit'],
        detail: /more than 2000 pages|divided into pages/,
      },
      {
        title: 'P9 prints 20,000 pages of one element',
        page: `pages.html?height=${20_000 * 1_040}`,
        options: { format: 'pdf', timeout_ms: 60_000 },
        ends: ['resource_limit'],
        detail: /more than 2000 pages|divided into pages/,
      },
      {
        title: 'P9 prints 500 pages',
        page: 'pages.html?count=500',
        options: { format: 'pdf', timeout_ms: 60_000 },
        ends: ['file'],
        facts: { title: 'Pages', complete: true },
      },
      {
        title: 'P9 prints two of 2,500 pages',
        page: 'pages.html?count=2500',
        options: { format: 'pdf', pdf_page_ranges: '2400-2401', timeout_ms: 60_000 },
        ends: ['file'],
        facts: { title: 'Pages', complete: true },
      },
      {
        title: 'P10 grows whenever it is scrolled',
        page: 'feed.html',
        options: { full_page: true, timeout_ms: 30_000 },
        ends: ['file'],
        facts: { truncated: true },
      },
      {
        title: 'P11 has a canvas of 100,000 × 100,000 px',
        page: 'canvas.html',
        ends: ['file'],
        facts: { title: 'Canvas' },
      },
      {
        title: 'P11 has a picture that claims 65,535 × 65,535 px',
        page: '/image-bomb',
        ends: ['file', 'resource_limit'],
        facts: { title: 'Image' },
      },
      {
        title: 'P12 takes memory until there is none left',
        page: 'buffers.html',
        options: UNTIL_LIMIT,
        ends: ['resource_limit'],
        detail: /more than 500000000 bytes of memory/,
      },
      {
        title: 'P12 takes memory that its processes share',
        page: 'bitmaps.html',
        options: UNTIL_LIMIT,
        ends: ['resource_limit'],
        detail: /more than 500000000 bytes of memory/,
      },
      ...['wasm', 'canvas', 'video', 'blob', 'message', 'cache', 'database', 'files'].map((way) => ({
        title: `P12 takes memory through ${way}`,
        page: `hoard.html?by=${way}`,
        options: UNTIL_LIMIT,
        ends: ['resource_limit'] as const,
        detail: /more than 500000000 bytes of memory/,
      })),
      {
        title: 'P24 nests itself in frames',
        page: 'nest.html',
        options: { timeout_ms: 15_000 },
        ends: ['file', 'capture_timeout', 'resource_limit'],
      },
      {
        title: 'P24 has 500 frames of 60 sites',
        page: 'frames.html?hosts=60',
        // The number of frames that exist at once decides whether they exceed the memory limit.
        ends: ['file', 'capture_timeout', 'resource_limit'],
      },
    ],
  );

  it('does not grow the worker', async () => {
    const before = process.memoryUsage().rss;
    expect(await arena.visit('buffers.html', UNTIL_LIMIT)).toMatchObject({
      end: 'resource_limit',
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    await arena.expectClean();
  });
});

describe('a browser that dies', () => {
  /** Far longer than these captures take, because the pool notices the end at once. */
  const options = { timeout_ms: 60_000 };
  const crash = 'Page.crash';

  it('P25 crashes while it loads', async () => {
    arena.meddle = ({ page, cdp }) => {
      page.once('framenavigated', () => void cdp.send(crash).catch(() => undefined));
    };
    expect(await arena.visit('/trickle', options)).toMatchObject({ end: 'browser_crashed' });
    await arena.expectClean();
  });

  it('P25 crashes while it is drawn', async () => {
    arena.meddle = ({ cdp }) => {
      const send = cdp.send.bind(cdp);
      cdp.send = (...args: Parameters<typeof send>) => {
        if (args[0] === 'Page.captureScreenshot') void send(crash).catch(() => undefined);
        return send(...args);
      };
    };
    expect(await arena.visit('/basic', options)).toMatchObject({ end: 'browser_crashed' });
    await arena.expectClean();
  });

  it.each(['--type=renderer', '--remote-debugging-pipe'])('P25 has its process %s killed', async (mark) => {
    arena.meddle = ({ page }) => {
      page.once('framenavigated', () => {
        for (const { pid, command } of arena.browsers()) {
          if (command.includes(mark) && !command.startsWith('unshare')) kill(pid);
        }
      });
    };
    expect(await arena.visit('/trickle', options)).toMatchObject({ end: 'browser_crashed' });
    await eventually('the slot has a browser', () => arena.pool.state().healthy === 1);
    await arena.expectClean();
  });
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended together with another one.
  }
}
