import { readFileSync, readlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Env, planSlots } from '@app/config';
import { AppError } from '@app/kernel';
import { eventually } from '../../../../test/support/eventually.js';
import { loopbackEgress } from '../../../../test/support/loopback-egress.js';
import { browsersOf, processes } from '../../../../test/support/processes.js';
import { BrowserPoolService } from './browser-pool.service.js';
import type { PageLease } from '../page/page-lease.js';
import {
  browserEnv,
  documentTitle,
  evaluate,
  evaluateOn,
  withNetwork,
} from '../../../../test/support/browser.js';

// Each test starts browsers, possibly on a busy machine.
jest.setTimeout(60_000);
// The warnings about browsers that die here are expected.
Logger.overrideLogger(false);

const never = new AbortController().signal;
const PAGES: Readonly<Record<string, string>> = {
  '/': '<h1>A page</h1>',
  '/spin': '<script>while (true);</script>',
  '/dialogs': `<script>alert(1); confirm(2); prompt(3); document.title = 'went on'</script>`,
  '/windows': `<script>for (let i = 0; i < 1000; i++) open('/?' + i); document.title = 'went on'</script>`,
  '/prompts': `<script type="module">
    const no = (ask) => ask.then((answer) => answer, () => 'denied');
    const locate = new Promise((yes, fail) => navigator.geolocation.getCurrentPosition(() => yes('located'), fail));
    const answers = await Promise.all([
      no(Notification.requestPermission()),
      no(locate),
      no(navigator.mediaDevices.getUserMedia({ video: true }).then(() => 'seen')),
      no(navigator.clipboard.readText().then(() => 'read')),
      no(document.documentElement.requestFullscreen().then(() => 'full')),
    ]);
    for (let i = 0; i < 10; i++) print();
    document.title = answers.every((answer) => answer === 'denied' || answer === 'default') ? 'went on' : answers;
  </script>`,
  '/close': '<script>window.close(); document.title = "went on"</script>',
};

let site: Server;
let origin: string;
const pools: BrowserPoolService[] = [];

beforeAll(async () => {
  site = createServer((request, response) => {
    if (request.url === '/download') {
      response.writeHead(200, { 'content-disposition': 'attachment; filename=a.bin' }).end('bytes');
    } else {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGES[request.url ?? ''] ?? PAGES['/']);
    }
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});

afterAll(() => {
  site.closeAllConnections();
  site.close();
});

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  await eventually('no browser is left', () => browsersOf(process.pid).length === 0);
});

async function startPool(settings: Partial<Env> = {}): Promise<BrowserPoolService> {
  const pool = withNetwork(new BrowserPoolService(browserEnv(settings), loopbackEgress()));
  pools.push(pool);
  await pool.start();
  return pool;
}

/** Leases a page until `free` is called. */
async function hold(
  pool: BrowserPoolService,
): Promise<{ lease: PageLease; free: () => void; over: Promise<void> }> {
  const taken = Promise.withResolvers<PageLease>();
  const freed = Promise.withResolvers<void>();
  const over = pool.withPage(never, (lease) => {
    taken.resolve(lease);
    return freed.promise;
  });
  return { lease: await taken.promise, free: freed.resolve, over };
}

/** The real ids of Chromium's processes, as it reports them. */
async function processIds({ context }: PageLease, type: 'browser' | 'renderer'): Promise<number[]> {
  const session = await context.browser().target().createCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.filter((info) => info.type === type).map(({ id }) => id);
}

async function browserOf(lease: PageLease): Promise<number> {
  const [pid] = await processIds(lease, 'browser');
  if (pid === undefined) throw new Error('The browser reports no process of its own.');
  return pid;
}

const groupOf = (pid: number): number | undefined => processes().find((row) => row.pid === pid)?.group;
const isGroupGone = (group: number): boolean => processes().every((row) => row.group !== group);

const titleOf = (pool: BrowserPoolService, path: string): Promise<string> =>
  pool.withPage(never, async ({ page }) => {
    await page.goto(origin + path);
    return documentTitle(page);
  });

const heading = (pool: BrowserPoolService): Promise<string> =>
  pool.withPage(never, async ({ page }) => {
    await page.goto(origin);
    return evaluateOn(page, 'h1', (element) => element.textContent);
  });

describe(BrowserPoolService.name, () => {
  it('lends a page that can be captured', async () => {
    const pool = await startPool();
    const picture = await pool.withPage(never, async ({ page, cdp }) => {
      await page.goto(origin);
      await cdp.send('Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a: 0 } });
      return page.screenshot();
    });
    expect(Buffer.from(picture.subarray(1, 4)).toString()).toBe('PNG');
    expect(pool.state()).toMatchObject({ slots: 1, healthy: 1, restarts: 0, sandbox: true });
    expect(pool.state().browser).toMatch(/^(Headless)?Chrome\/\d+\./);
  });

  it('serves callers in the order of their arrival', async () => {
    const pool = await startPool();
    const served: number[] = [];
    await Promise.all(
      [1, 2, 3, 4].map((caller) => pool.withPage(never, async () => void served.push(caller))),
    );
    expect(served).toEqual([1, 2, 3, 4]);
  });

  it('isolates a capture from the one before', async () => {
    const pool = await startPool();
    await pool.withPage(never, async ({ page }) => {
      await page.goto(origin);
      await evaluate(page, async () => {
        document.cookie = 'who=first';
        localStorage.setItem('who', 'first');
        await caches.open('first');
      });
    });
    const found = await pool.withPage(never, async ({ page }) => {
      await page.goto(origin);
      return evaluate(page, async () => [document.cookie, localStorage.length, (await caches.keys()).length]);
    });
    expect(found).toEqual(['', 0, 0]);
    expect(pool.state().restarts).toBe(0);
  });

  it('runs renderers in a real sandbox, and browsers without the environment of the worker', async () => {
    process.env.DATABASE_URL = 'postgres://secret';
    try {
      const pool = await startPool();
      await pool.withPage(never, async (lease) => {
        const [renderer] = await processIds(lease, 'renderer');
        const status = readFileSync(`/proc/${renderer}/status`, 'utf8');
        expect(status).toMatch(/^Seccomp:\s+2$/m);
        expect(status).toMatch(/^CapEff:\s+0+$/m);
        for (const namespace of ['user', 'pid', 'net']) {
          expect(readlinkSync(`/proc/${renderer}/ns/${namespace}`)).not.toBe(
            readlinkSync(`/proc/self/ns/${namespace}`),
          );
        }
        const environment = readFileSync(`/proc/${await browserOf(lease)}/environ`, 'utf8');
        const names = environment.split('\0').map((line) => line.split('=')[0]);
        expect(names).toEqual(expect.arrayContaining(['HOME', 'TMPDIR', 'PATH']));
        expect(names).not.toContain('DATABASE_URL');
      });
    } finally {
      delete process.env.DATABASE_URL;
    }
  });

  it('survives the kill of a browser: its capture gets an error, its slot recovers, its neighbour works on', async () => {
    const pool = await startPool({ WORKER_SLOTS: 2 });
    await eventually('both slots have a browser', () => pool.state().healthy === 2);
    const [victim, neighbour] = [await hold(pool), await hold(pool)];
    const pid = await browserOf(victim.lease);
    const group = groupOf(pid) ?? 0;
    process.kill(pid, 'SIGKILL');
    const loss = await victim.lease.lost;
    expect(loss).toBeInstanceOf(AppError);
    expect(loss.code).toBe('browser_crashed');
    await eventually('the slot is back', () => pool.state().healthy === 2);
    await eventually('its processes are gone', () => isGroupGone(group));
    expect(await evaluate(neighbour.lease.page, () => 1 + 1)).toBe(2);
    // The caller of the lost page has not released it, which does not block the new browser.
    expect(await heading(pool)).toBe('A page');
    expect(pool.state().restarts).toBe(1);
    await eventually('only the neighbour has a page', () => pool.state().busy === 1);
    victim.free();
    neighbour.free();
    await Promise.all([victim.over, neighbour.over]);
  });

  it('starts a browser that is not kept warm when a caller waits, and again after it was lost', async () => {
    const warm = planSlots(new Env()).warmBrowsers;
    const pool = await startPool({ WORKER_SLOTS: warm + 1 });
    await eventually('all slots can serve', () => pool.state().healthy === warm + 1);
    expect(new Set(browsersOf(process.pid).map(({ group }) => group)).size).toBe(warm);
    const warmHolds = await Promise.all(Array.from({ length: warm }, () => hold(pool)));
    const late = await hold(pool);
    expect(pool.state()).toMatchObject({ busy: warm + 1, healthy: warm + 1 });
    process.kill(await browserOf(late.lease), 'SIGKILL');
    expect((await late.lease.lost).code).toBe('browser_crashed');
    expect(await heading(pool)).toBe('A page');
    for (const { free } of [...warmHolds, late]) free();
    await Promise.all([...warmHolds, late].map(({ over }) => over));
  });

  it('survives the kill of a renderer', async () => {
    const pool = await startPool();
    const { lease, free, over } = await hold(pool);
    await lease.page.goto(origin);
    for (const pid of await processIds(lease, 'renderer')) process.kill(pid, 'SIGKILL');
    expect((await lease.lost).code).toBe('browser_crashed');
    free();
    await over;
    expect(await heading(pool)).toBe('A page');
    expect(pool.state().restarts).toBe(1);
  });

  it('replaces an idle browser that dies', async () => {
    const pool = await startPool();
    for (const { pid, command } of browsersOf(process.pid)) {
      if (!command.includes('--type=')) process.kill(pid, 'SIGKILL');
    }
    await eventually('the browser is another', () => pool.state().restarts === 1);
    expect(await heading(pool)).toBe('A page');
  });

  it('kills a browser that is marked unusable, together with an endless page', async () => {
    const pool = await startPool();
    const { lease, free, over } = await hold(pool);
    const group = groupOf(await browserOf(lease)) ?? 0;
    const load = lease.page.goto(`${origin}/spin`).catch((error: unknown) => error);
    await lease.page.waitForRequest(`${origin}/spin`).catch(() => undefined);
    lease.markUnusable('its page never ends');
    free();
    await over;
    expect(await heading(pool)).toBe('A page');
    expect(await load).toBeInstanceOf(Error);
    await eventually('its processes are gone', () => isGroupGone(group));
    expect(pool.state().restarts).toBe(1);
  });

  it('keeps the browser after an endless page whose context can be disposed', async () => {
    const pool = await startPool();
    const { lease, free, over } = await hold(pool);
    const load = lease.page.goto(`${origin}/spin`).catch((error: unknown) => error);
    await lease.page.waitForRequest(`${origin}/spin`).catch(() => undefined);
    free();
    await over;
    expect(await load).toBeInstanceOf(Error);
    expect(await heading(pool)).toBe('A page');
    expect(pool.state().restarts).toBe(0);
  });

  it('replaces a browser after its maximum number of captures', async () => {
    const pool = await startPool({ BROWSER_MAX_CAPTURES: 2 });
    const seen = new Set<number>();
    for (let capture = 0; capture < 4; capture += 1) {
      seen.add(await pool.withPage(never, browserOf));
    }
    expect(seen.size).toBe(2);
    await eventually('the second one is replaced too', () => pool.state().restarts === 2);
  });

  it('replaces an old browser while it is idle, and never during a capture', async () => {
    const pool = await startPool({ WORKER_SLOTS: 2, BROWSER_MAX_AGE_MS: 1_000 });
    const { lease, free, over } = await hold(pool);
    await eventually('the other one was replaced twice', () => pool.state().restarts >= 2);
    expect(await evaluate(lease.page, () => 1 + 1)).toBe(2);
    const kept = await browserOf(lease);
    free();
    await over;
    await eventually('it is replaced too', () => processes().every(({ pid }) => pid !== kept));
  });

  it('lets a waiting caller leave', async () => {
    const pool = await startPool();
    const first = await hold(pool);
    const leaving = new AbortController();
    const left = pool.withPage(leaving.signal, async () => 'served');
    const staying = pool.withPage(never, async () => 'served');
    leaving.abort(new AppError('capture_timeout'));
    await expect(left).rejects.toMatchObject({ code: 'capture_timeout' });
    first.free();
    expect(await staying).toBe('served');
    await expect(pool.withPage(leaving.signal, async () => 'served')).rejects.toMatchObject({
      code: 'capture_timeout',
    });
  });

  it.each(['/dialogs', '/windows', '/close'])('is not stopped by %s', async (path) => {
    const pool = await startPool();
    expect(await titleOf(pool, path)).toBe('went on');
    expect(pool.state().restarts).toBe(0);
  });

  it('denies prompts of a page at once', async () => {
    const pool = await startPool();
    const answers = await pool.withPage(never, async ({ page }) => {
      await page.goto(`${origin}/prompts`);
      await eventually('the page has its answers', async () => (await documentTitle(page)) !== '');
      return documentTitle(page);
    });
    expect(answers).toBe('went on');
  });

  it('leaves a page that asks to stay', async () => {
    const pool = await startPool();
    const url = await pool.withPage(never, async ({ page }) => {
      await page.goto(origin);
      await evaluate(page, () => addEventListener('beforeunload', (event) => event.preventDefault()));
      // Chromium asks only on pages with user input.
      await page.mouse.click(5, 5);
      await page.goto(`${origin}/?next`);
      return page.url();
    });
    expect(url).toBe(`${origin}/?next`);
  });

  it('closes popups, and replaces the browser of a page that keeps opening them', async () => {
    const pool = await startPool();
    const { lease, free, over } = await hold(pool);
    const popup = await lease.context.newPage();
    await eventually('the window is closed', () => popup.isClosed());
    await Promise.allSettled(Array.from({ length: 5 }, () => lease.context.newPage()));
    expect((await lease.lost).code).toBe('browser_crashed');
    free();
    await over;
    expect(await heading(pool)).toBe('A page');
  });

  it('refuses downloads', async () => {
    const pool = await startPool();
    const failure = await titleOf(pool, '/download').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(await heading(pool)).toBe('A page');
  });

  it('rejects callers once it is closed, and reports the loss to those with a page', async () => {
    const pool = await startPool();
    const held = await hold(pool);
    const waiting = pool.withPage(never, async () => 'served');
    const refusal = expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    await pool.close();
    await refusal;
    expect((await held.lease.lost).code).toBe('browser_crashed');
    await expect(pool.withPage(never, async () => 'served')).rejects.toMatchObject({ code: 'unavailable' });
    held.free();
    await held.over;
  });
});
