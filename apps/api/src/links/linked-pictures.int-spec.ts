import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { launch, type Browser, type Page } from 'puppeteer';
import sharp from 'sharp';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import type { Client } from '../../../../test/support/client.js';
import { expiresIn, LinkSigner } from '../../../../test/support/links.js';

const PICTURE = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#2563eb' } })
  .png()
  .toBuffer();

/** A page of another site in a real browser, which shows links as `<img>` and reads them by scripts. */
describe('signed links on a page of another site', () => {
  let api: TestApi;
  let caller: Client & { readonly accountId: string };
  let signer: LinkSigner;
  let site: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    api = await startApi();
    caller = await api.client();
    signer = await LinkSigner.create(api, caller);
    site = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<body></body>'),
    );
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    browser = await launch({
      headless: 'shell',
      executablePath: process.env.PUPPETEER_EXECUTABLE_PATH,
      env: { ...process.env, LD_LIBRARY_PATH: process.env.BROWSER_LIBRARY_PATH },
      // It opens only our own page, and root cannot have a sandbox.
      args: ['--no-sandbox'],
    });
    page = await browser.newPage();
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  });

  afterAll(async () => {
    await browser.close();
    site.close();
    await api.close();
  });

  /** The size of the picture that an `<img>` shows; null when it shows none. */
  const sizeOf = (src: string): Promise<[number, number] | null> =>
    page.evaluate(
      (url: string) =>
        new Promise<[number, number] | null>((resolve) => {
          const image = new Image();
          image.onload = () => resolve([image.naturalWidth, image.naturalHeight]);
          image.onerror = () => resolve(null);
          image.src = url;
          document.body.append(image);
        }),
      src,
    );
  /** What a script of the page reads; the message when the browser refuses it. */
  const read = (url: string, headers: Record<string, string> = {}): Promise<unknown> =>
    page.evaluate(
      async (address: string, sent: Record<string, string>) => {
        try {
          const response = await fetch(address, { headers: sent });
          return [response.status, response.headers.get('x-request-id') !== null];
        } catch (error) {
          return (error as Error).name;
        }
      },
      url,
      headers,
    );

  it('show the capture', async () => {
    const size = sizeOf(await signer.link(`url=https%3A%2F%2Fexample.com%2Fshown&${expiresIn(60)}`));
    await (await api.claim(caller)).succeed(PICTURE);
    expect(await size).toEqual([30, 20]);
  });

  it('show errors as pictures, which name the error', async () => {
    const expired = await signer.link(`url=https%3A%2F%2Fexample.com&${expiresIn(-60)}&on_error=image`);
    expect(await sizeOf(expired)).toEqual([480, 120]);
    expect(await sizeOf(`${api.url}/v1/render?on_error=image`)).toEqual([480, 120]);
    expect(await sizeOf(expired.replace('&on_error=image', ''))).toBeNull();
    await page.goto(expired);
    const texts = await page.evaluate(() =>
      [...document.querySelectorAll('text')].map(({ textContent }) => textContent),
    );
    expect(texts).toEqual(['410 link_expired', 'The link has expired']);
    const { data } = await sharp(await page.screenshot({ clip: { x: 0, y: 0, width: 480, height: 120 } }))
      .raw()
      .toBuffer({ resolveWithObject: true });
    // The picture is drawn: it has the colours of its text, its bar and its background.
    expect(new Set(data).size).toBeGreaterThan(20);
    await page.goBack();
  });

  it('can be read by scripts, and no other route can', async () => {
    const link = await signer.link(`url=https%3A%2F%2Fexample.com&${expiresIn(60)}&quality=1`);
    expect(await read(link)).toEqual([400, true]);
    // A header that the browser asks about before.
    expect(await read(link, { 'If-None-Match': '"x"' })).toEqual([400, true]);
    expect(await read(`${api.url}/v1/render?x=1`)).toEqual([403, true]);
    expect(await read(`${api.url}/v1/version`)).toBe('TypeError');
  });
});
