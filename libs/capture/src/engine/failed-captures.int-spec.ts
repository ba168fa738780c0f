import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CaptureFailure, type BlockedRequests, type CaptureOptions, type EngineTimings } from '@app/capture';
import { AppError, type ErrorCode } from '@app/kernel';
import { Capturing } from '../../../../test/support/capturing.js';
import { eventually } from '../../../../test/support/eventually.js';
import { Site } from '../../../../test/support/site.js';

const TALL = '<title>Tall</title><body style="margin: 0"><div style="height: 3000px">text</div>';

const site = new Site({
  '/tall': TALL,
  '/gone': (_, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end(TALL),
  '/broken-parts': `${TALL}<img src="/hang-up">`,
  '/hang-up': (request) => void request.socket.destroy(),
  '/moved': (_, response) => void response.writeHead(301, { location: '/tall' }).end(),
  '/to-nowhere': (_, response) => void response.writeHead(302, { location: 'http://html.invalid/a' }).end(),
  '/to-forbidden': (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  '/round': (_, response) => void response.writeHead(302, { location: '/round' }).end(),
  '/204': (_, response) => void response.writeHead(204).end(),
  '/zip': (_, response) => void response.writeHead(200, { 'content-type': 'application/zip' }).end('PK'),
  '/hang': () => undefined,
  '/busy': '<title>Busy</title><script>addEventListener("load", () => { for (;;); })</script>',
});

let capturing: Capturing;

beforeAll(async () => {
  await site.open();
  capturing = await Capturing.open();
});
// One that was lost in the test before is replaced; its start is no part of a short timeout.
beforeEach(() => eventually('there is a browser', () => capturing.pool.state().healthy === 1));
afterAll(() => Promise.all([capturing.close(), site.close()]));

/** The expected facts, with addresses of the site as paths. */
interface Expected {
  readonly finalUrl?: string | null;
  readonly httpStatus?: number | null;
  readonly title?: string | null;
  readonly pageHeight?: number;
  readonly blocked?: Partial<BlockedRequests>;
  readonly failedRequests?: number;
}

type Case = [code: ErrorCode, path: string, options: Partial<CaptureOptions>, facts: Expected];

const shown = (finalUrl: string): Expected => ({ finalUrl, httpStatus: 200, title: 'Tall' });
const absolute = ({ finalUrl, ...facts }: Expected): Expected =>
  typeof finalUrl === 'string'
    ? { ...facts, finalUrl: new URL(finalUrl, site.url('/')).href }
    : { ...facts, finalUrl };

describe('a failed capture', () => {
  it.each<Case>([
    ['target_http_error', '/gone', { fail_on_status: ['4xx'] }, { ...shown('/gone'), httpStatus: 404 }],
    ['condition_failed', '/moved', { fail_if_text: 'text' }, shown('/tall')],
    [
      'condition_failed',
      '/broken-parts',
      { fail_if_text: 'text' },
      { ...shown('/broken-parts'), failedRequests: 1 },
    ],
    ['selector_not_found', '/tall', { selector: '#no' }, shown('/tall')],
    ['script_failed', '/tall', { js: 'throw new Error("no")' }, shown('/tall')],
    [
      'capture_timeout',
      '/tall',
      { wait_for_selector: '#no', timeout_ms: 1_000, block_urls: ['*.png'] },
      shown('/tall'),
    ],
    ['capture_timeout', '/busy', { timeout_ms: 2_500 }, { ...shown('/busy'), title: 'Busy' }],
    [
      'clip_out_of_bounds',
      '/tall',
      { clip_x: 0, clip_y: 9_000, clip_width: 10, clip_height: 10 },
      { ...shown('/tall'), pageHeight: 3_000 },
    ],
    [
      'print_failed',
      '/tall',
      { format: 'pdf', pdf_header_html: '<style>@import url(http://a.invalid/a.css)</style><b>x</b>' },
      // A print that fails may take the page, and its title, with it.
      { finalUrl: '/tall', httpStatus: 200 },
    ],
    ['target_empty_response', '/204', {}, { finalUrl: '/204', httpStatus: 204, title: null }],
    ['target_not_a_page', '/zip', {}, { finalUrl: '/zip', httpStatus: 200, title: null }],
    ['target_redirect_loop', '/round', {}, { finalUrl: '/round', httpStatus: 302, title: null }],
    // It has not answered.
    ['capture_timeout', '/hang', { timeout_ms: 1_000 }, { finalUrl: null, httpStatus: null, title: null }],
    ['target_dns_error', '/to-nowhere', {}, { finalUrl: 'http://html.invalid/a', httpStatus: null }],
    ['target_forbidden', '/to-forbidden', {}, { finalUrl: null, httpStatus: null }],
  ])('by %s at %s keeps what is known by then', async (code, path, options, facts) => {
    const { code: actual, partial } = await failureOf(site.url(path), options);
    expect([actual, partial.facts]).toMatchObject([code, absolute(facts)]);
  });

  it('keeps the facts of a page whose file is too large', async () => {
    const { partial } = await failureOf(site.url('/tall'), {}, 100);
    expect(partial.facts).toMatchObject(absolute({ ...shown('/tall'), pageHeight: 3_000 }));
  });

  it('keeps the title of html, which has no URL', async () => {
    const { partial } = await failureOf(null, { html: TALL, fail_if_text: 'text' });
    expect(partial.facts).toMatchObject({ finalUrl: null, httpStatus: null, title: 'Tall' });
  });

  it.each<[string, Partial<CaptureOptions>, (keyof EngineTimings)[]]>([
    ['/hang', { timeout_ms: 1_000 }, ['settle_ms', 'render_ms']],
    ['/tall', { wait_for_selector: '#no', timeout_ms: 1_000 }, ['render_ms']],
  ])(
    'at %s with %j says how long each phase took, 0 for those to come',
    async (path, options, notReached) => {
      const { timings } = (await failureOf(site.url(path), options)).partial;
      const spent = Object.values(timings).reduce((sum, ms) => sum + ms, 0);
      expect(spent).toBeGreaterThan(500);
      for (const phase of notReached) expect([phase, timings[phase]]).toEqual([phase, 0]);
    },
  );

  it('replaces the browser when that may be the cause, and keeps it otherwise', async () => {
    // The browser of the captures before, which timed out, has been replaced by then.
    await failureOf(site.url('/tall'), { selector: '#no' });
    const { restarts } = capturing.pool.state();
    await failureOf(site.url('/tall'), { selector: '#no' });
    expect(capturing.pool.state()).toMatchObject({ restarts, healthy: 1 });
    await failureOf(site.url('/tall'), { wait_for_selector: '#no', timeout_ms: 4_000 });
    await eventually('it is replaced', () => capturing.pool.state().restarts === restarts + 1);
  });

  it('reports the wait for a browser that it did not get', async () => {
    const holding = new AbortController();
    const held = capturing.failure(site.url('/hang'), {}, { signal: holding.signal });
    await eventually('the only page is taken', () => capturing.pool.state().busy === 1);
    const { code, partial } = await failureOf(site.url('/tall'), { timeout_ms: 1_000 });
    holding.abort(new AppError('job_canceled'));
    await held;
    expect([code, partial.facts.finalUrl, partial.timings.navigate_ms]).toEqual(['capture_timeout', null, 0]);
    expect(partial.timings.prepare_ms).toBeGreaterThan(500);
  });
});

async function failureOf(
  page: string | null,
  options: Partial<CaptureOptions>,
  maxBytes?: number,
): Promise<CaptureFailure> {
  const error = await capturing.failure(page, options, { maxBytes });
  if (error instanceof CaptureFailure) return error;
  throw new Error(`It ended with ${error.code}, and says nothing else.`);
}
