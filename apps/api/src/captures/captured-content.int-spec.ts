import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { launch, type Browser, type CDPSession, type Page, type Protocol } from 'puppeteer';
import sharp from 'sharp';
import { FORMAT_NAMES, FORMATS, type Format } from '@app/capture';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client } from '../../../../test/support/client.js';

/** Tries whatever a document can do without a user. */
const HOSTILE = `<!doctype html><title>Hostile</title>
<meta http-equiv="refresh" content="0;url=/owned-by-refresh">
<link rel="stylesheet" href="/owned-by-css"><link rel="prefetch" href="/owned-by-prefetch">
<style>@import '/owned-by-import'; body { background: url(/owned-by-background) }</style>
<script>
  document.title = 'Owned';
  try { document.cookie = 'secret=owned; path=/'; localStorage.setItem('secret', 'owned'); } catch {}
  fetch('/owned-by-fetch'); navigator.sendBeacon('/owned-by-beacon');
  navigator.serviceWorker?.register('/owned-by-worker');
</script>
<script src="/owned-by-script"></script><svg onload="fetch('/owned-by-svg')"></svg>
<img src="/owned-by-image" onerror="fetch('/owned-by-onerror')"><video src="/owned-by-video" autoplay></video>
<iframe src="/owned-by-frame"></iframe><iframe srcdoc="<script>parent.fetch('/owned-by-srcdoc')</script>"></iframe>
<object data="/owned-by-object"></object><embed src="/owned-by-embed">
<form action="/owned-by-form" id="form"><input autofocus onfocus="form.submit()"></form>`;

/** What a response is made into on its way, as a careless proxy might. */
type Change = (headers: Headers) => void;

const asPage: Change = (headers) => {
  headers.delete('content-disposition');
  headers.set('content-type', 'text/html; charset=utf-8');
};

describe('what a page made, in the origin of the API', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  let browser: Browser;
  let page: Page;
  let session: CDPSession;
  /** Undefined where nothing is in between. */
  let change: Change | undefined;
  let picture: Buffer;
  const requested: string[] = [];

  beforeAll(async () => {
    picture = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#d02020' } })
      .png()
      .toBuffer();
    api = await startApi();
    client = await api.client();
    api.app.getHttpServer().on('request', ({ url = '' }: IncomingMessage) => requested.push(url));
    browser = await launch({
      headless: 'shell',
      executablePath: process.env.PUPPETEER_EXECUTABLE_PATH,
      env: { ...process.env, LD_LIBRARY_PATH: process.env.BROWSER_LIBRARY_PATH },
      args: ['--no-sandbox'],
    });
    page = await browser.newPage();
    session = await page.createCDPSession();
    await session.send('Browser.setDownloadBehavior', { behavior: 'deny' });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/v1/*', requestStage: 'Response' }] });
    session.on('Fetch.requestPaused', (paused) => void passOn(paused).catch(() => undefined));
    const { key } = client as unknown as { key: string };
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${key}` });
  }, 60_000);

  beforeEach(async () => {
    change = undefined;
    await page.goto(`${api.url}/docs/errors`);
    await page.evaluate(() => {
      document.cookie = 'secret=kept; path=/';
      localStorage.setItem('secret', 'kept');
    });
  });

  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  /** Continues a response as it is, or has the browser receive another one with its body. */
  async function passOn({
    requestId,
    responseStatusCode = 200,
    responseHeaders = [],
  }: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    if (!change) {
      await session.send('Fetch.continueResponse', { requestId });
      return;
    }
    const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId });
    const headers = new Headers(responseHeaders.map(({ name, value }): [string, string] => [name, value]));
    change(headers);
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: responseStatusCode,
      responseHeaders: [...headers].map(([name, value]) => ({ name, value })),
      body: base64Encoded ? body : Buffer.from(body).toString('base64'),
    });
  }

  async function captured(
    bytes: Buffer,
    options: { readonly format?: Format; readonly filename?: string } = {},
  ) {
    const { id } = await json(client.submit({ url: 'https://example.com/', ...options }));
    const { format = 'png' } = options;
    await (await api.claim(client)).succeed([{ name: 'result', format, bytes }]);
    return String(id);
  }

  /** What a browser has and asks for after it has opened this path. */
  async function afterOpening(path: string) {
    requested.length = 0;
    // A download aborts the navigation.
    await page.goto(api.url + path, { waitUntil: 'networkidle0' }).catch(() => undefined);
    const title = await page.title();
    const asked = requested.filter((url) => url !== path && url !== '/favicon.ico');
    await page.goto(`${api.url}/docs/errors`);
    const kept = await page.evaluate(() => [document.cookie, localStorage.getItem('secret')]);
    return { title, asked, kept };
  }

  const UNTOUCHED = { asked: [], kept: ['secret=kept', 'kept'] };
  const routesOf = (id: string) => [
    `/v1/captures/${id}/result`,
    `/v1/captures/${id}/files/result`,
    `/v1/jobs/${id}/result`,
    `/v1/captures/${id}/files.zip`,
  ];

  it('would run if it were a page of the API', async () => {
    const id = await captured(Buffer.from(HOSTILE));
    change = (headers) => {
      asPage(headers);
      headers.delete('content-security-policy');
    };
    const { asked, kept } = await afterOpening(`/v1/captures/${id}/result`);
    expect(asked.length).toBeGreaterThan(5);
    expect(kept).toEqual(['secret=owned', 'owned']);
  }, 30_000);

  it('does not run, whatever its format is, and stays a file for the browser', async () => {
    for (const format of FORMAT_NAMES) {
      const id = await captured(Buffer.from(HOSTILE), { format });
      for (const path of routesOf(id).slice(0, format === 'png' ? 4 : 1)) {
        const { title, ...rest } = await afterOpening(path);
        expect([format, path, title === 'Hostile' || title === 'Owned', rest]).toEqual([
          format,
          path,
          false,
          UNTOUCHED,
        ]);
      }
    }
  }, 60_000);

  it('does not run even where something in between makes a page of it', async () => {
    change = asPage;
    const id = await captured(Buffer.from(HOSTILE));
    for (const path of routesOf(id).slice(0, 3)) {
      expect(await afterOpening(path)).toEqual({ title: 'Hostile', ...UNTOUCHED });
    }
    const pdf = await captured(Buffer.from(HOSTILE), { format: 'pdf' });
    expect(await afterOpening(`/v1/captures/${pdf}/result`)).toEqual({ title: 'Hostile', ...UNTOUCHED });
  }, 60_000);

  it('does not run where the name of the file is that of a page', async () => {
    const id = await captured(Buffer.from(HOSTILE), { filename: 'page.html' });
    const path = `/v1/captures/${id}/result`;
    const { headers } = await client.send('HEAD', path);
    expect(headers.get('content-disposition')).toBe('inline; filename=page.html.png');
    expect(await afterOpening(path)).toMatchObject(UNTOUCHED);
  });

  it('is still a picture in a tab', async () => {
    const id = await captured(picture);
    await page.goto(`${api.url}/v1/captures/${id}/result`);
    const shown = await page.evaluate(() => document.querySelector('img')?.naturalWidth);
    const shot = await sharp(await page.screenshot())
      .raw()
      .toBuffer();
    let red = 0;
    for (let i = 0; i < shot.length; i += 3) if (shot[i] === 0xd0 && shot[i + 1] === 0x20) red++;
    expect([shown, red]).toEqual([30, 600]);
  });

  it('has a policy on every route that serves it', async () => {
    const { id: batch } = await json(
      client.post('/v1/bulk/json', { items: [{ url: 'https://example.com/' }] }),
    );
    await (await api.claim(client)).succeed(Buffer.from(HOSTILE));
    const paths = [`/v1/bulk/${String(batch)}/files.zip`, `/v1/bulk/${String(batch)}/download`];
    for (const format of FORMAT_NAMES) {
      const [path = ''] = routesOf(await captured(Buffer.from(HOSTILE), { format }));
      paths.push(path, path.replace('result', 'files.zip'));
    }
    const answers = await Promise.all(paths.map((path) => client.get(path)));
    for (const response of ['file', 'zip']) {
      const answer = client.capture({ url: 'https://example.com/', response });
      await (await api.claim(client)).succeed(Buffer.from(HOSTILE));
      answers.push(await answer);
    }
    for (const answer of answers) {
      const { headers } = answer;
      const policy = headers.get('content-security-policy')?.split('; ') ?? [];
      expect(policy).toEqual(
        expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", 'sandbox']),
      );
      expect(policy.filter((directive) => /script|unsafe-eval|connect|frame-src/.test(directive))).toEqual(
        [],
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      await answer.body?.cancel();
    }
  }, 30_000);

  it('is displayed by a browser only as a picture or a PDF', () => {
    const shown = FORMAT_NAMES.filter((name) => FORMATS[name].disposition === 'inline');
    expect(shown.map((name) => FORMATS[name].contentType)).toEqual(
      shown.map((name) => (name === 'pdf' ? 'application/pdf' : `image/${name}`)),
    );
  });
});
