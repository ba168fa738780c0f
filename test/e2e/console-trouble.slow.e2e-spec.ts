import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { HTTPRequest } from 'puppeteer';
import { startApps, type Apps } from '../support/apps.js';
import { Client } from '../support/client.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';

const MINUTES_MS = 60_000;

// CI looks at each page of the console (console-pages.e2e-spec.ts); the whole way of a person takes too long for it.
describe('the console in a browser that has trouble', () => {
  let apps: Apps;
  let client: Client;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;

  beforeAll(async () => {
    apps = await startApps();
    client = new Client(apps);
    browser = await ConsoleBrowser.launch(apps);
  });

  afterAll(async () => {
    await browser.close();
    await apps.stop();
  });

  afterEach(async () => {
    await visit?.close();
    visit = undefined;
  });

  it.each([-7, 7])(
    'shows times by the clock of the service when its own is wrong by %d minutes',
    async (by) => {
      visit = await browser.visit();
      await visit.page.evaluateOnNewDocument((wrongMs) => {
        const right = Date.now;
        Date.now = () => right() + wrongMs;
      }, by * MINUTES_MS);
      await visit.open('/captures');
      await visit.page.waitForSelector('h1');
      await client.submit({ html: '<h1>new</h1>', reference: `wrong by ${by}` });
      await visit.page.waitForSelector('a[data-index="0"] time');
      const shown = await visit.page.$eval('a[data-index="0"] time', ({ innerText }) => innerText);
      expect(shown).toMatch(/^(now|\d+ sec\. ago)$/);
      await visit.page.click('a[data-index="0"]');
      await visit.page.waitForSelector('main time');
      expect(await visit.page.$$eval('main time', (times) => times.map((each) => each.innerText))).toEqual(
        expect.arrayContaining([expect.stringMatching(/^(now|\d+ sec\. ago)$/)]),
      );
    },
  );

  it('keeps what it shows while the API is gone', async () => {
    visit = await browser.visit();
    await visit.open('/captures');
    await visit.page.waitForSelector('a[data-index]');
    await visit.page.setOfflineMode(true);
    await visit.sees('The service does not answer');
    expect(await visit.page.$$eval('a[data-index]', (cells) => cells.length)).toBeGreaterThan(0);
    await visit.page.setOfflineMode(false);
    await visit.page.waitForFunction(() => !document.body.innerText.includes('The service does not answer'));
  });

  it('loads a page that could not be loaded when the connection is back', async () => {
    visit = await browser.visit();
    await visit.open('');
    await visit.page.waitForSelector('h1');
    await visit.page.setOfflineMode(true);
    await visit.click('Webhooks');
    await visit.sees('This part of the console could not be loaded');
    await visit.sees('The service does not answer. Try again when the connection is back.');
    const checks = visit.page.waitForRequest((request) => request.method() === 'HEAD');
    await visit.click('Try again');
    await checks;
    await visit.page.waitForSelector('[role=alert] button:not([data-loading])');
    await visit.page.setOfflineMode(false);
    await visit.click('Try again');
    await visit.sees('Signing secret');
  });

  it('offers to reload when an update has replaced the page', async () => {
    visit = await browser.visit();
    await visit.open('');
    await visit.page.waitForSelector('h1');
    await visit.page.setRequestInterception(true);
    const answer = (request: HTTPRequest): void =>
      void (/usage-page[^/]*\.js$/.test(request.url())
        ? request.respond({ status: 404 })
        : request.continue());
    visit.page.on('request', answer);
    await visit.click('Usage');
    await visit.sees('The service may have been updated');
    visit.page.off('request', answer);
    await visit.page.setRequestInterception(false);
    await visit.click('Reload the page');
    await visit.sees('Charged, by source');
  });
});
