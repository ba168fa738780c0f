import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';
import { eventually } from '../../../../test/support/eventually.js';
import { browsersOf } from '../../../../test/support/processes.js';
import { Site } from '../../../../test/support/site.js';

let requests = 0;
const site = new Site({
  '/silent': () => void (requests += 1),
  '/unfinished': (_, response) => {
    requests += 1;
    response.writeHead(200, { 'content-type': 'text/html' }).write('<title>Half</title><p>a page of which');
  },
  '/busy': '<title>Busy</title><script>addEventListener("load", () => { for (;;); })</script>',
});

/** Far longer than a test may take. */
const LONG_MS = 300_000;

let capturing: Capturing;

beforeAll(async () => {
  await site.open();
  capturing = await Capturing.open();
});
beforeEach(async () => {
  requests = 0;
  await eventually('there is a browser', () => capturing.pool.state().healthy === 1, 60_000);
});
afterAll(() => Promise.all([capturing.close(), site.close()]));

describe('a browser that no longer answers', () => {
  it.each([
    ['/silent', 'main process'],
    ['/silent', 'group'],
    ['/unfinished', 'main process'],
    ['/unfinished', 'group'],
  ])('is replaced long before the capture of %s times out, when its %s is stopped', async (path, stopped) => {
    const options = { timeout_ms: LONG_MS, navigation_timeout_ms: LONG_MS };
    const failing = capturing.failure(site.url(path), options);
    await eventually('the page is requested', () => requests > 0, 30_000);
    // A script may be its leader.
    const { group, pid } = browsersOf(process.pid).findLast(
      ({ command }) => !command.includes('--type='),
    ) ?? { group: NaN, pid: NaN };
    process.kill(stopped === 'group' ? -group : pid, 'SIGSTOP');
    const { code, message } = await failing;
    expect([code, message]).toEqual(['browser_crashed', 'The browser did not answer for 5 seconds.']);
    await capturing.capture('/bands.html');
    expect(browsersOf(process.pid).map((row) => row.group)).not.toContain(group);
  });

  it('is another one than that of a page which loops', async () => {
    const { restarts } = capturing.pool.state();
    const { code } = await capturing.failure(site.url('/busy'), { timeout_ms: 9_000 });
    expect([code, capturing.pool.state().restarts]).toEqual(['capture_timeout', restarts]);
  });

  it('is another one than that of a target which takes its time', async () => {
    const { code } = await capturing.failure(site.url('/silent'), { timeout_ms: 9_000 });
    expect(code).toBe('capture_timeout');
  });
});
