import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PageLease } from '@app/browser';
import { CaptureOptions, nothingBlocked, nothingMissing } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { AppError, instantiate } from '@app/kernel';
import { Capturing, Picture } from '../../../../test/support/capturing.js';
import { Site } from '../../../../test/support/site.js';
import { eventually } from '../../../../test/support/eventually.js';
import { browsersOf } from '../../../../test/support/processes.js';
import { noFilters } from '../../../../test/support/filters.js';

const GREEN = '00ff00';

let capturing: Capturing;
/** Pages that leave for elsewhere, and answers without a page. */
const odd = new Site({
  '/green': '<title>Green</title><body style="background: #00ff00">',
  '/meta': '<meta http-equiv="refresh" content="0;url=/green">',
  '/onload': '<body onload="location.href = \'/green\'">',
  '/soon': '<body onload="setTimeout(() => { location.href = \'/green\' }, 15)">',
  '/to-nowhere': '<body onload="location.href = \'http://html.invalid/\'">',
  '/to-a-download': '<body style="background: #00ff00" onload="location.href = \'/zip\'">',
  '/to-nothing': '<body style="background: #00ff00" onload="location.href = \'/204\'">',
  '/to-a-hang': '<body style="background: #00ff00" onload="location.href = \'/hang\'">',
  '/to-an-error': '<body onload="location.href = \'/500\'">',
  '/round': '<body onload="setTimeout(() => location.reload(), 5)">',
  '/hang': () => undefined,
  '/204': (_, response) => void response.writeHead(204).end(),
  '/500': (_, response) => void response.writeHead(500).end(),
  '/zip': (_, response) => void response.writeHead(200, { 'content-type': 'application/zip' }).end('PK'),
  '/json': (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}'),
  '/to-file': (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/with-broken-parts': '<img src="/hang-up"><script src="/hang-up-too"></script><img src="/missing">',
  '/hang-up': (request) => void request.socket.destroy(),
  '/hang-up-too': (request) => void request.socket.destroy(),
});

beforeAll(async () => {
  await odd.open();
  capturing = await Capturing.open();
});
afterAll(() => Promise.all([capturing.close(), odd.close()]));

/** The next capture is clean: nothing of the last one is left. */
async function expectWorking(): Promise<void> {
  const { facts } = await capturing.capture('/bands.html');
  expect(facts).toMatchObject({ title: 'Bands', complete: true, failedRequests: 0 });
}

describe('a browser that does not respond', () => {
  it('is reported as browser_crashed, not as a slow page', async () => {
    odd.forget();
    const failure = capturing.failure(odd.url('/hang'), { timeout_ms: 1_500 });
    await eventually('the page is asked for', () => odd.requestsTo('/hang').length > 0);
    for (const { pid } of browsersOf(process.pid)) process.kill(pid, 'SIGSTOP');
    expect(await failure).toMatchObject({ code: 'browser_crashed' });
    await expectWorking();
  });
});

describe('the facts of a capture', () => {
  it('say what was found', async () => {
    const { facts, timings, format } = await capturing.capture('/redirect?to=/bands.html%23top');
    expect(facts).toEqual({
      finalUrl: `${capturing.site.url}/bands.html#top`,
      httpStatus: 200,
      title: 'Bands',
      width: 1280,
      height: 800,
      pageHeight: 2000,
      offsetY: null,
      pages: null,
      truncated: false,
      content: null,
      page: null,
      redirects: [{ status: 302, url: `${capturing.site.url}/redirect?to=/bands.html%23top` }],
      session: null,
      stable: null,
      complete: true,
      missing: nothingMissing(),
      blocked: nothingBlocked(),
      failedRequests: 0,
      consent: null,
      overlays: null,
      actions: null,
      readiness: expect.objectContaining({ by: 'quiet', pending: [], fonts: 'loaded' }),
      verdict: { kind: 'page', evidence: [] },
    });
    expect(format).toBe('png');
    expect(Object.keys(timings)).toEqual(['prepare_ms', 'navigate_ms', 'settle_ms', 'render_ms']);
    expect(Object.values(timings).every((ms) => Number.isInteger(ms) && ms >= 0)).toBe(true);
  });

  it('have no title where the page has none', async () => {
    expect((await capturing.capture(odd.url('/json'))).facts).toMatchObject({ title: null, httpStatus: 200 });
  });

  it('count blocked and failed requests separately', async () => {
    const page = odd.url('/with-broken-parts');
    expect((await capturing.capture(page)).facts).toMatchObject({
      blocked: nothingBlocked(),
      failedRequests: 2,
    });
    const blocking = { block_urls: ['*/hang-up'] };
    expect((await capturing.capture(page, blocking)).facts).toMatchObject({
      blocked: { rules: 1, forbidden: 0 },
      failedRequests: 1,
    });
  });

  it('never count the page itself as blocked', async () => {
    const { facts } = await capturing.capture('/bands.html', { block_urls: ['*'] });
    expect(facts).toMatchObject({ title: 'Bands', blocked: nothingBlocked() });
  });
});

describe('an html target', () => {
  const html = `<title>-</title><body style="margin: 0; background: #ff0000"><img src="green.svg" style="display: block">
    <script>document.title = [location.href, document.compatMode, localStorage.length].join(' ')</script>`;

  it('has its base_url: relative URLs and scripts work', async () => {
    const captured = await capturing.capture(null, {
      html,
      base_url: `${capturing.site.url}/no/such/../page?q#h`,
    });
    const picture = await Picture.fromCapture(captured);
    expect(captured.facts).toMatchObject({
      finalUrl: null,
      httpStatus: null,
      title: `${capturing.site.url}/no/page?q#h BackCompat 0`,
    });
    // Below /no/ there is no picture.
    expect(picture.colourAt(50, 50)).toBe('ff0000');
    const atRoot = await capturing.picture(null, { html, base_url: capturing.site.url });
    expect(atRoot.colourAt(50, 50)).toBe(GREEN);
    expect(capturing.site.requests('/no/page')).toEqual([]);
  });

  it('needs no base_url', async () => {
    const { facts } = await capturing.capture(null, { html: '<title>Bücher 世界</title><h1>Hi</h1>' });
    expect(facts).toMatchObject({
      finalUrl: null,
      httpStatus: null,
      title: 'Bücher 世界',
      failedRequests: 0,
    });
  });

  it('works with blocked requests and without JavaScript', async () => {
    const base_url = capturing.site.url;
    const blocked = await capturing.capture(null, { html, base_url, block_urls: ['*.svg'] });
    expect(blocked.facts).toMatchObject({ blocked: { rules: 1 } });
    const still = await capturing.capture(null, { html, base_url, javascript: false });
    expect(still.facts.title).toBe('-');
  });
});

describe('a target that fails', () => {
  it.each([
    ['http://html.invalid/', 'target_dns_error', 'net::ERR_NAME_NOT_RESOLVED'],
    ['http://127.0.0.1:2/', 'target_connection_failed', 'net::ERR_CONNECTION_REFUSED'],
    // The reason is not disclosed.
    ['http://127.0.0.1:1/', 'target_forbidden', undefined],
    ['/reset', 'target_connection_failed', 'net::ERR_CONNECTION_RESET'],
    ['/empty', 'target_empty_response', 'net::ERR_EMPTY_RESPONSE'],
    ['/redirect-loop', 'target_redirect_loop', 'net::ERR_TOO_MANY_REDIRECTS'],
    ['/download', 'target_not_a_page', 'net::ERR_ABORTED'],
  ])('%s ends with %s', async (page, code, netError) => {
    const error = await capturing.failure(page);
    expect([error.code, error.facts.netError, error.facts.phase]).toEqual([code, netError, 'navigate']);
  });

  it.each([
    ['/204', 'target_empty_response'],
    ['/zip', 'target_not_a_page'],
    ['/to-file', 'target_forbidden'],
  ])('%s ends with %s', async (page, code) => {
    expect((await capturing.failure(odd.url(page))).code).toBe(code);
  });

  it('ends with target_tls_error when it speaks no TLS', async () => {
    const error = await capturing.failure(capturing.site.url.replace('http:', 'https:'));
    expect([error.code, error.facts.netError]).toEqual(['target_tls_error', 'net::ERR_SSL_PROTOCOL_ERROR']);
  });

  it('is captured with its status when it is an error page, an empty one too', async () => {
    expect((await capturing.capture('/status/503')).facts).toMatchObject({
      httpStatus: 503,
      title: 'Status 503',
    });
    expect((await capturing.capture(odd.url('/500'))).facts).toMatchObject({ httpStatus: 500, title: null });
    expect((await capturing.capture('/basic-auth')).facts).toMatchObject({ httpStatus: 401 });
  });
});

describe('a page that navigates by itself', () => {
  it.each(['/meta', '/onload', '/soon'])('%s is followed', async (page) => {
    for (const options of [{}, { full_page: true }]) {
      const picture = await capturing.picture(odd.url(page), options);
      expect(picture.colourAt(640, 400)).toBe(GREEN);
      expect(picture.captured.facts).toMatchObject({
        finalUrl: odd.url('/green'),
        title: 'Green',
        httpStatus: 200,
      });
    }
  });

  it.each(['/to-a-download', '/to-nothing'])('%s stays the same page', async (page) => {
    const picture = await capturing.picture(odd.url(page));
    expect(picture.colourAt(640, 400)).toBe(GREEN);
    expect(picture.captured.facts).toMatchObject({ finalUrl: odd.url(page), httpStatus: 200 });
  });

  it('fails when the new address cannot be reached', async () => {
    expect((await capturing.failure(odd.url('/to-nowhere'))).code).toBe('target_dns_error');
  });

  it('is captured with the status of the new document', async () => {
    const { facts } = await capturing.capture(odd.url('/to-an-error'));
    expect(facts).toMatchObject({ finalUrl: odd.url('/500'), httpStatus: 500 });
  });

  it('is captured before the navigation with on_timeout capture when the new address does not respond', async () => {
    const page = odd.url('/to-a-hang');
    const options = { navigation_timeout_ms: 1_000, timeout_ms: 4_000 };
    expect((await capturing.failure(page, options)).code).toBe('capture_timeout');
    const picture = await capturing.picture(page, { ...options, on_timeout: 'capture' });
    expect(picture.colourAt(640, 400)).toBe(GREEN);
    expect(picture.captured.facts).toMatchObject({ finalUrl: page, complete: false });
  });

  it('ends with capture_timeout when it navigates endlessly', async () => {
    const error = await capturing.failure(odd.url('/round'));
    expect([error.code, error.message]).toEqual([
      'capture_timeout',
      'The page navigates from address to address without end.',
    ]);
  });
});

describe('a hostile page', () => {
  it('gets no answer to its dialogs', async () => {
    const picture = await capturing.picture('/dialogs.html');
    expect([picture.colourAt(5, 5), picture.captured.facts.title]).toEqual([GREEN, 'Dialogs false,']);
  });

  it.each([
    ['/loop.html', { navigation_timeout_ms: 1_000 }, 'navigate'],
    ['/loop.html', { timeout_ms: 3_000, on_timeout: 'capture' as const }, 'render'],
    ['/loop.html?after=0', { timeout_ms: 2_000 }, 'render'],
    ['/loop.html?after=0', { timeout_ms: 2_000, full_page: true }, 'settle'],
    ['/loop.html?after=0', { timeout_ms: 2_000, format: 'pdf' as const }, 'render'],
    ['/hang', { timeout_ms: 1_000 }, 'navigate'],
  ])('%s with %j ends at its deadline', async (page, options, phase) => {
    const error = await capturing.failure(page, options);
    expect([error.code, error.facts.phase]).toEqual(['capture_timeout', phase]);
    expect(error.facts.elapsedMs).toBeGreaterThan(0);
    await expectWorking();
  });
});

describe('a canceled capture', () => {
  const canceled = new AppError('job_canceled');

  it.each(['/hang', '/loop.html', '/late.html', '/tall.html'])(
    'ends with the reason given: %s',
    async (page) => {
      const abort = new AbortController();
      const before = capturing.site.requests().length;
      const failing = capturing.failure(
        page,
        { wait_for_function: 'new Promise(() => {})' },
        { signal: abort.signal },
      );
      await eventually('the page was asked for', () => capturing.site.requests().length > before);
      abort.abort(canceled);
      expect(await failing).toBe(canceled);
      await expectWorking();
    },
  );

  it('never starts when it was canceled before', async () => {
    expect(await capturing.failure('/bands.html', {}, { signal: AbortSignal.abort(canceled) })).toBe(
      canceled,
    );
  });
});

describe('a browser that crashes', () => {
  const capturingWith = (disturb: (lease: PageLease) => void): CaptureEngine =>
    new CaptureEngine(
      {
        withPage: (signal, use) =>
          capturing.pool.withPage(signal, (lease) => {
            disturb(lease);
            return use(lease);
          }),
      },
      { maxBytes: 1e6, filters: noFilters },
    );
  const options = () =>
    instantiate(CaptureOptions, { url: `${capturing.site.url}/late.html`, delay_ms: 20_000 });

  it('ends the capture at once with browser_crashed', async () => {
    const engine = capturingWith(({ page, cdp }) => {
      page.once('load', () => void cdp.send('Page.crash').catch(() => undefined));
    });
    const error = await engine.capture(options(), new AbortController().signal).catch(AppError.from);
    expect(error).toMatchObject({
      code: 'browser_crashed',
      facts: { phase: expect.stringMatching(/navigate|settle/) },
    });
    await expectWorking();
  });

  it('ends the same way when its process is killed', async () => {
    const engine = capturingWith(({ page }) => {
      page.once('load', () => void page.browser().close());
    });
    const error = await engine.capture(options(), new AbortController().signal).catch(AppError.from);
    expect(error).toMatchObject({ code: 'browser_crashed' });
    await expectWorking();
  });
});
