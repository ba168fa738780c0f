import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';
import { eventually } from '../../../../test/support/eventually.js';
import { browsersOf, type ProcessRow } from '../../../../test/support/processes.js';
import { Site } from '../../../../test/support/site.js';

let requests = 0;
const site = new Site({
  '/silent': () => void (requests += 1),
  '/unfinished': (_, response) => {
    requests += 1;
    response.writeHead(200, { 'content-type': 'text/html' }).write('<title>Half</title><p>a page of which');
  },
  '/zip': (_, response) => void response.writeHead(200, { 'content-type': 'application/zip' }).end('PK'),
});

let capturing: Capturing;

beforeAll(async () => {
  await site.open();
  capturing = await Capturing.open();
});
beforeEach(async () => {
  await eventually('there is a browser', () => capturing.pool.state().healthy === 1, 60_000);
});
afterAll(() => Promise.all([capturing.close(), site.close()]));

const isZygote = ({ command }: ProcessRow): boolean => command.includes('--type=zygote');
const isRenderer = ({ command }: ProcessRow): boolean => command.includes('--type=renderer');
const isLeader = ({ pid, group }: ProcessRow): boolean => pid === group;

/** Captures a page, and kills processes of its browser when the page has been requested. */
async function killWhileNavigating(path: string, isKilled: (row: ProcessRow) => boolean): Promise<string> {
  requests = 0;
  const failing = capturing.failure(site.url(path), { timeout_ms: 30_000 });
  await eventually('the page is requested', () => requests > 0, 30_000);
  for (const { pid } of browsersOf(process.pid).filter(isKilled)) kill(pid);
  return (await failing).code;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with another one.
  }
}

describe('a browser that is killed while it navigates', () => {
  it.each([
    ['main process', '/silent', isLeader],
    ['main process', '/unfinished', isLeader],
    ['renderer', '/silent', isRenderer],
    ['renderer', '/unfinished', isRenderer],
    // Chromium then reports ERR_ABORTED, as for a download, while its main process still runs.
    ['zygotes', '/silent', isZygote],
  ])('fails the capture with browser_crashed when its %s died first, at %s', async (_, path, isKilled) => {
    expect(await killWhileNavigating(path, isKilled)).toBe('browser_crashed');
  });

  it('is not taken for one when the target is a download, and serves the next capture', async () => {
    await capturing.capture('/bands.html');
    const { restarts } = capturing.pool.state();
    expect((await capturing.failure(site.url('/zip'))).code).toBe('target_not_a_page');
    await capturing.capture('/bands.html');
    expect(capturing.pool.state().restarts).toBe(restarts);
  });
});
