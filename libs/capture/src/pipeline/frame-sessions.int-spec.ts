import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import type { Target } from 'puppeteer';
import { onePagePool, withNetwork } from '../../../../test/support/browser.js';
import { eventually } from '../../../../test/support/eventually.js';
import { IsolatingBrowser } from '../../../../test/support/isolating-browser.js';
import { Site } from '../../../../test/support/site.js';
import { FrameSessions, type FrameSession } from './frame-sessions.js';

const SITES = ['localhost', '127.0.0.1', 'localhost', '127.0.0.1'];
/** More frames than are followed. */
const [FRAMES, MAX_SESSIONS] = [25, 20];
const html =
  (body: () => string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(body());
  };
const script =
  (body: string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(body);
  };
const frames = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `<iframe src="${site.url(`/leaf?${i}`, 'localhost')}"></iframe>`,
  ).join('');

/** Each document of `/nested/…` embeds the next one, on the other site. */
const site: Site = new Site({
  ...Object.fromEntries(
    SITES.map((_, i) => [
      `/nested/${i}`,
      html(() =>
        i + 1 < SITES.length
          ? `<script>window.early = window.mark</script><iframe src="${site.url(`/nested/${i + 1}`, SITES[i + 1])}"></iframe>`
          : '<p>leaf',
      ),
    ]),
  ),
  '/same': html(() => '<iframe src="/nested/3"></iframe><iframe srcdoc="<p>srcdoc"></iframe>'),
  '/workers': html(
    () => `<script>
      new Worker('/worker.js'); new SharedWorker('/worker.js'); navigator.serviceWorker.register('/worker.js');
    </script>`,
  ),
  '/worker.js': script(''),
  '/later': html(() => ''),
  ...Object.fromEntries(
    Array.from({ length: FRAMES }, (_, i) => [`/leaf?${i}`, html(() => '<script>done = 1</script>')]),
  ),
  '/many': html(() => frames(FRAMES)),
});
const browser = new IsolatingBrowser();
let pool: ReturnType<typeof onePagePool>;

beforeAll(async () => {
  await site.open();
  pool = withNetwork(onePagePool(await browser.open()));
  await pool.start();
});

afterAll(async () => {
  await pool.close();
  await Promise.all([site.close(), browser.close()]);
});

/** Opens a page with a follower that notes each session, and marks the window before the scripts of the document run. */
async function sessionsOf(
  url: string,
  isComplete: (sessions: readonly FrameSession[]) => boolean,
  maxSessions?: number,
): Promise<{ types: string[]; early: unknown[] }> {
  return pool.withPage(new AbortController().signal, async (lease) => {
    const seen: FrameSession[] = [];
    await new FrameSessions(lease, maxSessions).follow(async (session) => {
      seen.push(session);
      if (session.frameId === undefined) return;
      await Promise.all([
        session.cdp.send('Page.enable'),
        session.cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: 'window.mark = "first"' }),
      ]);
    });
    await lease.page.goto(url, { timeout: 50_000 });
    await eventually('all sessions are there', () => isComplete(seen), 20_000);
    const read = async ({ cdp: session }: FrameSession): Promise<unknown> => {
      const sent = await session.send('Runtime.evaluate', {
        expression: 'window.early',
        returnByValue: true,
      });
      return sent.result.value;
    };
    const ofFrames = seen.filter(({ frameId }) => frameId !== undefined);
    return {
      types: seen.map(({ type }) => type).sort(),
      early: seen.length > 10 ? [] : await Promise.all(ofFrames.map(read)),
    };
  });
}

describe(FrameSessions.name, () => {
  it('follows frames of other processes at any depth, before their scripts run', async () => {
    const { types, early } = await sessionsOf(site.url('/nested/0', SITES[0]), ({ length }) => length === 4);
    expect(types).toEqual(['iframe', 'iframe', 'iframe', 'page']);
    expect(early).toEqual(['first', 'first', 'first', undefined]);
  });

  it('has one session for the page and the frames in its process', async () => {
    const { types } = await sessionsOf(site.url('/same'), () => site.requestsTo('/nested/3').length > 0);
    expect(types).toEqual(['page']);
  });

  it('follows shared and service workers', async () => {
    const { types } = await sessionsOf(site.url('/workers'), (seen) =>
      ['shared_worker', 'service_worker'].every((name) => seen.some(({ type }) => type === name)),
    );
    expect(types).not.toContain('iframe');
  });

  it('follows a bounded number of frames, and lets all of them load', async () => {
    const { types } = await sessionsOf(
      site.url('/many'),
      () =>
        Array.from({ length: FRAMES }, (_, i) => `/leaf?${i}`).every(
          (path) => site.requestsTo(path).length > 0,
        ),
      MAX_SESSIONS,
    );
    expect(types).toHaveLength(MAX_SESSIONS + 1);
  });

  it('leaves alone the page of the next capture, which the browser opens while this one waits', async () => {
    await pool.withPage(new AbortController().signal, async (lease) => {
      const { context } = lease;
      const types: string[] = [];
      const sessions = new FrameSessions(lease);
      await sessions.follow(({ type }) => Promise.resolve(void types.push(type)));
      const isOfNext = (target: Target): boolean =>
        target.type() === 'page' && target.browserContext() !== context;
      await eventually('another page is open', () => context.browser().targets().some(isOfNext));
      expect(types).toEqual(['page']);
    });
  });

  it('passes on the error of the page, not that of a frame', async () => {
    const joining = pool.withPage(new AbortController().signal, async (lease) => {
      const sessions = new FrameSessions(lease);
      await sessions.follow(async ({ type }) => {
        if (type !== 'page') throw new Error('frame');
        return Promise.resolve();
      });
      await lease.page.goto(site.url('/nested/0', SITES[0]));
      await sessions.follow(() => Promise.reject(new Error('page')));
    });
    await expect(joining).rejects.toThrow('page');
  });
});
