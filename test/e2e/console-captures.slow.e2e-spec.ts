import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, type Json } from '../support/client.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';

const HOSTILE = '<script>document.title="owned"</script>\u202e\u2066evil';
/** Signs that mean something in an address. */
const SIGNS = '50%25 & 100% + more';
const LONG = 'long '.repeat(400);

const count = (visit: ConsoleVisit) => visit.page.$$eval('a[data-index]', (cells) => cells.length);
const focused = (visit: ConsoleVisit) =>
  visit.page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.index);

describe('the captures in the console', () => {
  let site: FixtureSite;
  let apps: Apps;
  let client: Client;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;
  const made: Record<'boxes' | 'bands' | 'html' | 'text' | 'failed' | 'hostile', string> =
    Object.create(null);

  beforeAll(async () => {
    site = await startFixtureSite();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}` });
    client = new Client(apps);
    browser = await ConsoleBrowser.launch(apps);
    const page = (name: string, more: Json = {}) => ({ url: `${site.url}/${name}.html`, ...more });
    made.boxes = await captured(client, page('boxes', { reference: 'nightly' }));
    made.bands = await captured(client, page('bands', { reference: 'nightly' }));
    made.html = await captured(client, page('bands', { format: 'html' }));
    made.text = await captured(client, page('boxes', { format: 'text' }));
    made.failed = await captured(client, { url: 'http://nowhere.invalid/', reference: SIGNS });
    const html = `<title>${HOSTILE.replaceAll('<', '&lt;')}${LONG}</title><h1>Hello</h1>`;
    made.hostile = await captured(client, { html, reference: HOSTILE });
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await apps.stop();
    await site.close();
  });

  afterEach(async () => {
    expect(visit?.complaints ?? []).toEqual([]);
    await visit?.close();
    visit = undefined;
  });

  it('are shown with thumbnails that have pixels, and in a table', async () => {
    visit = await browser.visit();
    await visit.open('/captures');
    await visit.page.waitForFunction(() => {
      const pictures = Array.from(document.querySelectorAll<HTMLImageElement>('[role=grid] img'));
      return pictures.length === 3 && pictures.every((each) => each.complete && each.naturalWidth > 100);
    });
    const sources = await visit.page.$$eval('[role=grid] img', (pictures) => pictures.map(({ src }) => src));
    expect(sources.every((src) => src.endsWith('/thumbnail'))).toBe(true);
    await visit.sees('target_dns_error');
    await visit.page.click('input[value=table] + label');
    await visit.page.waitForSelector('[role=columnheader]');
    expect(visit.page.url()).toContain('view=table');
    expect(await count(visit)).toBe(6);
  });

  it('are found by filters, which are in the address', async () => {
    visit = await browser.visit();
    await visit.open('/captures?status=failed&view=table');
    await visit.sees('nowhere.invalid');
    expect(await count(visit)).toBe(1);
    await visit.click('Remove the filter Status');
    await visit.page.waitForFunction(() => document.querySelectorAll('a[data-index]').length === 6);
    await visit.page.keyboard.press('/');
    await visit.page.keyboard.type('nightly');
    await visit.sees('Reference is nightly');
    await visit.page.keyboard.press('ArrowDown');
    await visit.page.keyboard.press('Enter');
    await visit.page.waitForFunction(() => document.querySelectorAll('a[data-index]').length === 2);
    expect(visit.page.url()).toContain('reference=nightly');
    await visit.page.goBack();
    await visit.page.waitForFunction(() => document.querySelectorAll('a[data-index]').length === 6);
    await visit.page.focus('[data-search]');
    await visit.page.keyboard.type('/Bands.ht');
    await visit.sees('URL or title contains /Bands.ht');
    await visit.page.keyboard.press('Enter');
    await visit.page.waitForFunction(() => document.querySelectorAll('a[data-index]').length === 2);
    expect(visit.page.url()).toContain('search=%2FBands.ht');
  });

  it('are found by a reference with signs that mean something in an address', async () => {
    visit = await browser.visit();
    await visit.open(`/captures?reference=${encodeURIComponent(SIGNS)}`);
    await visit.page.waitForSelector('a[data-index]');
    expect(await count(visit)).toBe(1);
    await visit.page.locator('::-p-xpath(//label[contains(., "Table")])').click();
    await visit.page.waitForFunction(() => location.search.includes('view=table'));
    expect(new URL(visit.page.url()).searchParams.get('reference')).toBe(SIGNS);
  });

  it('do not move what a person reads while the picture loads', async () => {
    visit = await browser.visit({ width: 390 });
    await visit.page.evaluateOnNewDocument(() => {
      const moved = { by: 0 };
      Object.assign(window, { moved });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) moved.by += (entry as unknown as { value: number }).value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await visit.open(`/captures/${made.bands}`);
    await visit.sees('Readiness');
    await visit.page.waitForFunction(
      () => document.querySelector<HTMLImageElement>('img[alt^="Captured"]')?.complete,
    );
    const moved = await visit.page.evaluate(() => (window as unknown as { moved: { by: number } }).moved.by);
    expect(moved).toBeLessThan(0.1);
  });

  it('say what is wrong with a filter in the address, and what to do when none match', async () => {
    visit = await browser.visit();
    await visit.open('/captures?status=bogus');
    await visit.sees('status must be one of');
    await visit.open('/captures?host=other.example');
    await visit.sees('No captures match');
    await visit.click('Clear the filters');
    await visit.page.waitForSelector('a[data-index]');
  });

  it('are reached, opened and compared by keys', async () => {
    visit = await browser.visit();
    await visit.open('/captures');
    await visit.page.waitForSelector('a[data-index="5"]');
    await visit.page.focus('a[data-index="0"]');
    await visit.page.keyboard.press('End');
    expect(await focused(visit)).toBe('5');
    await visit.page.keyboard.press('c');
    await visit.sees('1 capture selected');
    await visit.page.keyboard.press('ArrowLeft');
    await visit.page.keyboard.press('Space');
    await visit.sees('2 captures selected');
    await visit.page.keyboard.press('Escape');
    await visit.page.waitForFunction(() => !document.body.innerText.includes('selected'));
    await visit.page.keyboard.press('Enter');
    await visit.sees('Capture again');
    expect(visit.page.url()).toContain(made.bands);
    await visit.page.goBack();
    await visit.page.waitForFunction(() => (document.activeElement as HTMLElement).dataset.index === '4');
    await visit.page.keyboard.press('?');
    await visit.sees('Clear the selection');
  });

  it('have pages with everything of a success and of a failure', async () => {
    visit = await browser.visit();
    await visit.open(`/captures/${made.boxes}`);
    await visit.page.waitForFunction(() =>
      Array.from(document.images).some(
        ({ alt, naturalWidth }) => alt.startsWith('Captured') && naturalWidth > 1_000,
      ),
    );
    for (const text of ['Navigate', '1,280 × 800 px', 'nightly', 'Readiness', '"reference"'])
      await visit.sees(text);
    await visit.open(`/captures/${made.failed}`);
    await visit.sees('ERR_NAME_NOT_RESOLVED');
    expect(await visit.page.$('a[href="/docs/errors#target_dns_error"]')).not.toBeNull();
    await visit.click('Capture again');
    await visit.page.waitForFunction(() => location.search.includes('nowhere.invalid'));
    await visit.open('/captures/01990b4e-7a52-7c3e-9d3b-8f6f4c1f2a10');
    await visit.sees('There is no such capture');
  });

  it('show two pictures and two texts beside each other with what differs', async () => {
    visit = await browser.visit();
    await visit.open(`/captures/compare?a=${made.boxes}&b=${made.bands}`);
    await visit.sees('% of the pixels differ');
    expect(await visit.page.$$eval('mark', (marks) => marks.map(({ innerText }) => innerText))).toContain(
      'Bands',
    );
    await visit.open(`/captures/compare?a=${made.boxes}&b=${made.boxes}`);
    await visit.sees('All pixels are the same');
    await visit.open(`/captures/compare?a=${made.html}&b=${made.text}`);
    await visit.sees('lines are only in capture A');
    expect(await visit.page.$('[data-kind=removed]')).not.toBeNull();
  });

  it('show hostile texts as texts', async () => {
    visit = await browser.visit({ width: 390 });
    for (const path of ['/captures', '/captures?view=table', `/captures/${made.hostile}`]) {
      await visit.open(path);
      await visit.sees('<script>document.title');
      expect(await visit.overflow()).toBe(0);
      expect(await visit.page.title()).not.toBe('owned');
    }
    await visit.open(`/captures?reference=${encodeURIComponent(HOSTILE)}`);
    await visit.page.waitForSelector('a[data-index]');
    expect(await visit.overflow()).toBe(0);
  });

  it.each([
    [390, 'dark'],
    [1_440, 'light'],
  ] as const)('have no barriers at %d px in %s', async (width, scheme) => {
    visit = await browser.visit({ width, scheme });
    for (const [path, text] of [
      ['/captures?selected=x', '1 capture selected'],
      ['/captures?view=table&status=failed', 'nowhere'],
      [`/captures/${made.boxes}`, 'Readiness'],
      [`/captures/${made.failed}`, 'ERR_NAME'],
      [`/captures/compare?a=${made.boxes}&b=${made.bands}`, 'pixels differ'],
    ] as const) {
      await visit.open(path);
      await visit.sees(text);
      expect({ path, barriers: await visit.barriers() }).toEqual({ path, barriers: [] });
      expect(await visit.overflow()).toBe(0);
    }
  });

  it('appear and change by themselves', async () => {
    visit = await browser.visit();
    await visit.open('/captures');
    await visit.page.waitForSelector('a[data-index]');
    await client.submit({ url: `${site.url}/mobile.html`, reference: 'live' });
    await visit.page.waitForFunction(
      () =>
        document.querySelector<HTMLElement>('a[data-index="0"]')?.innerText.includes('mobile.html') === true,
    );
    // The thumbnail comes once the job has succeeded.
    await visit.page.waitForSelector('a[data-index="0"] img');
  });

  it('are deleted with or without their record', async () => {
    const id = await captured(client, { url: `${site.url}/boxes.html` });
    visit = await browser.visit();
    await visit.open(`/captures/${id}`);
    await deletes(visit, 'Delete the files');
    await visit.sees('The files were deleted, with everything');
    expect(await (await client.get(`/v1/captures/${id}`)).json()).toMatchObject({
      url: null,
      files: [],
    });
    await deletes(visit, 'Delete everything');
    await visit.page.waitForFunction(() => location.pathname === '/console/captures');
    expect((await client.get(`/v1/captures/${id}`)).status).toBe(404);
  });
});

/** Makes a capture, which may fail; returns its id. */
async function captured(client: Client, options: Json): Promise<string> {
  const response = await client.capture({ ...options, response: 'json' });
  return response.headers.get('x-capture-id') ?? String(((await response.json()) as Json).id);
}

async function deletes(visit: ConsoleVisit, button: string): Promise<void> {
  await visit.click('More actions');
  await visit.page.locator('::-p-aria([name="Delete"][role="menuitem"])').click();
  if (button !== 'Delete the files') await visit.page.locator('input[value=record]').click();
  await visit.click(button);
  await visit.page.waitForSelector('[role=dialog]', { hidden: true });
}
