import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { CrawlSite, page as pageWith, text, urlset } from '../support/crawl-site.js';

const WIDTHS = [390, 768, 1_280];

// CI looks at each page of the console (console-pages.e2e-spec.ts); the whole way of a person takes too long for it.
describe('the monitors and the crawls of the console', () => {
  let price = 149;
  const site = http.createServer((_, response) => {
    const style = '<style>body{margin:40px;font:40px sans-serif}p{height:1600px;background:#eef}</style>';
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Lamp</title>${style}<h1>Lamp</h1><div>Price: €${price}</div><p></p>`);
  });
  const manual = new CrawlSite();
  let url: string;
  let apps: Apps;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;

  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const { port } = site.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/pricing`;
    await manual.open();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${port},127.0.0.1:${manual.port}` });
    browser = await ConsoleBrowser.launch(apps);
  });

  afterAll(async () => {
    await browser.close();
    await apps.stop();
    await manual.close();
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
  });

  afterEach(async () => {
    expect(visit?.complaints ?? []).toEqual([]);
    await visit?.close();
    visit = undefined;
  });

  /** The page is readable for everyone, and as wide as the window, at each width. */
  async function isSound(person: ConsoleVisit, name: string): Promise<void> {
    for (const width of WIDTHS) {
      await person.page.setViewport({ width, height: 900 });
      expect([name, width, await person.barriers(), await person.overflow()]).toEqual([name, width, [], 0]);
      const pictures = process.env.CONSOLE_PICTURES;
      if (pictures)
        await person.page.screenshot({ path: path.join(pictures, `${name}-${width}.png`), fullPage: true });
    }
  }

  /** Whether all pictures in the selected elements are there. */
  const showsPictures = (person: ConsoleVisit, selector: string, count: number) =>
    person.page.waitForFunction(
      (wanted: string, many: number) => {
        const images = [...document.querySelectorAll<HTMLImageElement>(wanted)];
        return images.length === many && images.every((image) => image.complete && image.naturalWidth > 0);
      },
      {},
      selector,
      count,
    );

  it('watches a page, shows what changed before and after, scrubs through the checks, pauses, and is deleted', async () => {
    const person = await browser.visit();
    visit = person;
    const { page } = person;
    await person.open('/monitors');
    await person.sees('No monitors yet');
    await page.locator('main a[href$="/monitors/new"]').click();
    await person.fill('Page to watch', url);
    await person.fill('Name', 'pricing');
    await page.waitForFunction(
      () => document.querySelectorAll('ol[aria-label="The next checks"] li').length === 5,
    );
    await person.click('Add a chat or a mail address');
    await isSound(person, 'new');
    await page.locator('button[aria-label="Remove receiver 1"]').click();
    await page.locator('::-p-xpath(//label[.="At certain times"])').click();
    await person.sees('Minute, hour, day of the month');
    await isSound(person, 'new-cron');
    await page.locator('::-p-xpath(//label[.="Every so often"])').click();
    await person.click('Create the monitor');
    await person.sees('the first capture');
    price = 139;
    await person.click('Check now');
    await person.sees('Price: €149 → €139');
    await showsPictures(person, '[aria-label="The page before over the page after"] img', 2);
    await isSound(person, 'changed');
    await page.locator('::-p-xpath(//label[.="What changed"])').click();
    await showsPictures(person, 'img[alt="The page with what changed"]', 1);
    await page.focus('[role=slider][aria-label^="Check 2 of 2"]');
    await page.keyboard.press('ArrowLeft');
    await person.sees('the first capture');
    await person.click('Later change');
    await person.sees('Price: €149 → €139');
    await person.click('Pause');
    await person.sees('It was paused on request.');
    await person.click('Resume');
    await person.sees('every hour');
    await page.locator('nav a[href$="/monitors"]').click();
    await showsPictures(person, 'ol[aria-label^="The last checks of pricing"] img', 2);
    await isSound(person, 'list');
    await page.locator('main li a').click();
    await person.click('Delete');
    await person.click('Delete now');
    await person.sees('No monitors yet');
  });

  it('changes what is typed in the form of a monitor, and nothing else', async () => {
    const client = new Client(apps);
    const notify = [{ type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/X' }];
    const rest = { name: 'yearly', notify, alert: { min_ratio: 0.07, on: ['changed'] } };
    const made = await json(
      client.post('/v1/monitors', { ...rest, schedule: { cron: '0 0 1 1 *' }, capture: { url } }),
    );
    const person = await browser.visit();
    visit = person;
    await person.open(`/monitors/${String(made.id)}`);
    await person.page.locator('main a[href$="/edit"]').click();
    await person.fill('Name', 'monthly');
    await person.fill('Cron expression', '0 0 1 * *');
    await isSound(person, 'edit');
    await person.click('Save the monitor');
    await person.sees('0 0 1 * * (UTC)');
    const { schedule, alert, notify: receivers, capture } = made;
    expect(await json(client.get(`/v1/monitors/${String(made.id)}`))).toMatchObject({
      name: 'monthly',
      schedule: { ...(schedule as object), cron: '0 0 1 * *' },
      alert,
      notify: receivers,
      capture,
    });
    await client.send('DELETE', `/v1/monitors/${String(made.id)}`);
  });

  it('watches the page of a capture with its options', async () => {
    const person = await browser.visit();
    visit = person;
    const { page } = person;
    await person.open(`/capture?options=${encodeURIComponent(JSON.stringify({ url, format: 'webp' }))}`);
    await page.locator('button[type=submit]').click();
    await page.waitForSelector('main img:not([alt=""])');
    await person.open('/captures');
    await page.locator('main a[href*="/captures/"]').click();
    await page.locator('button[aria-label="More actions"]').click();
    await person.click('Watch this page');
    await person.sees('Options of the capture: format');
    await person.click('Create the monitor');
    await person.sees('the first capture');
  });

  it('previews a crawl, follows it as a tree that keys move through, and shows what is broken', async () => {
    const { origin } = manual;
    manual.describe({
      '/robots.txt': text(`User-agent: *\nDisallow: /private/\nSitemap: ${origin}/sitemap.xml\n`),
      '/sitemap.xml': text(urlset([`${origin}/guide/one`, `${origin}/private/x`]), 'application/xml'),
      '/': pageWith(['/guide/', '/missing']),
      '/guide/*': pageWith(['/guide/two', '/missing'], { title: 'The guide' }),
    });
    const person = await browser.visit();
    visit = person;
    const { page } = person;
    await person.open('/crawls');
    await person.sees('No crawls yet');
    await page.locator('main a[href$="/crawls/new"]').click();
    await person.fill('Where the crawl begins', origin);
    await person.fill('Pages at most', '20000');
    await person.click('Start the crawl');
    await page.waitForSelector('input[aria-invalid=true]');
    await person.fill('Pages at most', '50');
    await person.click('Preview');
    await person.sees('The site asks crawlers to stay away');
    await page.waitForFunction(() => document.querySelectorAll('[role=treeitem]').length === 2);
    await isSound(person, 'crawl-new');
    await person.click('Start the crawl');
    await person.sees('Broken links (1)');
    await person.sees('completed');
    await page.focus('[role=tree]');
    // The guide is closed at first: its folder is the second row.
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight'] as const) await page.keyboard.press(key);
    await page.waitForFunction(
      () => document.querySelectorAll('[role=treeitem][aria-level="3"]').length === 2,
    );
    await isSound(person, 'crawl');
    await person.click('Download');
    await page.waitForSelector('a[href$="/download?as=sitemap"]');
    const statuses = await page.$$eval('a[href*="/download?as="]', (links) =>
      Promise.all(links.map(async ({ href }) => (await fetch(href)).status)),
    );
    expect(statuses).toEqual([200, 200, 200]);
    await page.keyboard.press('Escape');
    await page.locator('::-p-xpath(//label[.="Broken 1"])').click();
    await page.waitForFunction(() => document.querySelectorAll('[role=treeitem]').length === 2);
    await page.focus('[role=tree]');
    for (const key of ['End', 'Enter'] as const) await page.keyboard.press(key);
    await person.sees('/missing');
    await page.waitForFunction(() => location.pathname.startsWith('/console/captures/'));
    await page.locator('nav a[href$="/crawls"]').click();
    await person.sees('preview');
    await isSound(person, 'crawls');
  });

  it('stops a crawl, and begins another one with its rules', async () => {
    manual.describe({
      '/robots.txt': text('User-agent: *\nCrawl-delay: 60\n'),
      '/': pageWith(['/one', '/two']),
    });
    const person = await browser.visit();
    visit = person;
    await person.open('/crawls/new');
    await person.fill('Where the crawl begins', manual.origin);
    await person.fill('No addresses like these', '*/two');
    await person.click('Start the crawl');
    await person.sees('The site asks for 60 s between two visits.');
    await person.click('Stop the crawl');
    await person.click('Stop the crawl now');
    await person.sees('canceled');
    await person.click('Crawl again');
    await person.sees('These are the rules of an earlier crawl');
    expect(await person.page.$$eval('textarea', (fields) => fields.map(({ value }) => value))).toContain(
      '*/two',
    );
  });
});
