import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PageLease } from '@app/browser';
import { evaluate, onePagePool, withNetwork } from '../../../../test/support/browser.js';
import { eventually } from '../../../../test/support/eventually.js';
import { Site } from '../../../../test/support/site.js';

// A browser is started, possibly on a busy machine.
jest.setTimeout(60_000);

const never = new AbortController().signal;
const pool = withNetwork(onePagePool());
const site = new Site({
  '/': (_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'cache-control': 'max-age=600' })
      .end('<title>Page</title><script src="/cached.js"></script>'),
  '/cached.js': (_, response) =>
    response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'max-age=600' }).end(''),
});

beforeAll(async () => {
  await site.open();
  await pool.start();
});

afterAll(async () => {
  await pool.close();
  await site.close();
});

describe('callers with the same share', () => {
  let share = '';
  let shares = 0;

  beforeEach(() => {
    share = `share ${(shares += 1)}`;
    site.forget();
  });

  /** Opens the page, leaves a mark in its storage, and resolves to whether the context was used and a mark was there. */
  const visit = (
    name: string | undefined,
    { keeps = true, use = async (): Promise<void> => undefined }: VisitOptions = {},
  ): Promise<{ isUsed: boolean; hasMark: boolean; requests: number }> =>
    pool.withPage(
      never,
      async (lease) => {
        const { page, isContextUsed: isUsed } = lease;
        await page.goto(site.url('/'));
        const hasMark = await evaluate(page, () => 'mark' in localStorage);
        await evaluate(page, () => localStorage.setItem('mark', '1'));
        await use(lease);
        if (keeps) lease.keepContext();
        return { isUsed, hasMark, requests: lease.egress.usage().requests };
      },
      name,
    );
  interface VisitOptions {
    readonly keeps?: boolean;
    readonly use?: (lease: PageLease) => Promise<void>;
  }
  const FRESH = { isUsed: false, hasMark: false };
  const SHARED = { isUsed: true, hasMark: true };

  it('get the context that the last of them has kept, with its storage, its cache and the way to the network', async () => {
    expect(await visit(share)).toMatchObject(FRESH);
    expect(await visit(share)).toEqual({ ...SHARED, requests: 0 });
    const once = site.requests.filter(({ url }) => url === '/cached.js');
    expect(once).toHaveLength(1);
    const { status } = await pool.withPage(
      never,
      async ({ page }) => ({ status: (await page.goto(site.url('/elsewhere')))?.status() }),
      share,
    );
    expect(status).toBe(404);
  });

  it('get a fresh one unless the last of them has kept it', async () => {
    await visit(share, { keeps: false });
    expect(await visit(share)).toMatchObject(FRESH);
    await expect(
      visit(share, { use: () => Promise.reject(new Error('failed')), keeps: false }),
    ).rejects.toThrow();
    expect(await visit(share)).toMatchObject(FRESH);
  });

  it('share nothing with others, before whom and after whom it is kept', async () => {
    await visit(share);
    expect(await visit(undefined)).toMatchObject(FRESH);
    expect(await visit(share)).toMatchObject(SHARED);
    expect(await visit(`${share} of another`)).toMatchObject(FRESH);
    // One context is kept for each browser.
    expect(await visit(share)).toMatchObject(FRESH);
  });

  it('get another one when the page that waits for them has crashed', async () => {
    const used = Promise.withResolvers<PageLease>();
    await visit(share, { use: async (lease) => used.resolve(lease) });
    const { context } = await used.promise;
    // Its browser serves the next caller when it has prepared the page.
    await visit(undefined);
    const [waiting] = await context.pages();
    const cdp = await waiting?.createCDPSession();
    cdp?.send('Page.crash').catch(() => undefined);
    await eventually('the context is gone', () => context.closed);
    expect(await visit(share)).toMatchObject(FRESH);
  });

  it('find no window that an earlier one has left open', async () => {
    const opens = async ({ page, context }: PageLease): Promise<void> => {
      await evaluate(page, () => void window.open('/'));
      expect(context).toBe(page.browserContext());
    };
    await visit(share, { use: opens });
    await visit(share, {
      use: async ({ context, page }) => expect(await context.pages()).toEqual([page]),
    });
  });

  it('get another one after 50 of them', async () => {
    const used: boolean[] = [];
    while (used.length < 51) used.push((await visit(share)).isUsed);
    expect(used.map((isUsed, i) => (isUsed ? [] : i)).flat()).toEqual([0, 50]);
  });
});
