import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ElementHandle } from 'puppeteer';
import { startApps, type Apps } from '../support/apps.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { LogInSite, PASSWORD, SEED } from '../support/log-in-site.js';

const WIDTHS = [390, 768, 1_280];

// CI looks at each page of the console (console-pages.e2e-spec.ts); the whole way of a person takes too long for it.
describe('the sessions of the console', () => {
  let site: LogInSite;
  let apps: Apps;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;
  let folder: string;

  beforeAll(async () => {
    site = await LogInSite.open();
    folder = await mkdtemp(path.join(tmpdir(), 'sessions-'));
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}` });
    browser = await ConsoleBrowser.launch(apps);
  });

  afterAll(async () => {
    await browser.close();
    await apps.stop();
    await site.close();
    await rm(folder, { recursive: true });
  });

  afterEach(async () => {
    expect(visit?.complaints ?? []).toEqual([]);
    await visit?.close();
    visit = undefined;
  });

  /** The page is readable for everyone, and as wide as the window, at each width. */
  async function isSound({ page, barriers, overflow }: Sound, name: string): Promise<void> {
    for (const width of WIDTHS) {
      await page.setViewport({ width, height: 900 });
      expect([name, width, await barriers(), await overflow()]).toEqual([name, width, [], 0]);
      const pictures = process.env.CONSOLE_PICTURES;
      if (pictures)
        await page.screenshot({ path: path.join(pictures, `${name}-${width}.png`), fullPage: true });
    }
  }
  const soundOf = (person: ConsoleVisit): Sound => ({
    page: person.page,
    barriers: () => person.barriers(),
    overflow: () => person.overflow(),
  });

  /** Adds the steps of the log-in in the editor, with their secrets. */
  async function addSteps(person: ConsoleVisit): Promise<void> {
    const { page } = person;
    const add = async (type: string, place: number, selector: string): Promise<void> => {
      await page.locator('#log-in-actions').click();
      await page.locator(`::-p-xpath(//*[@role="option"][.//strong[.="${type}"]])`).click();
      await person.fill(`selector of step ${place}`, selector);
    };
    const choose = (place: number, way: string): Promise<void> =>
      page.locator(`::-p-xpath(//li[starts-with(@aria-label, "Step ${place},")]//label[.="${way}"])`).click();
    await add('fill', 1, '#user');
    await person.fill('value of step 1', 'ada');
    await add('fill', 2, '#password');
    await choose(2, 'Secret');
    await person.fill('secret of step 2', 'password');
    await person.fill('Value for secret of step 2', PASSWORD);
    await add('fill', 3, '#code');
    await choose(3, 'One-time code');
    await person.fill('totp of step 3', 'seed');
    await person.fill('Seed for totp of step 3', SEED);
    await add('click', 4, '#in');
    await add('wait', 5, '.welcome');
    await person.click('More fields of step 5');
    await person.fill('timeout_ms of step 5', '2000');
  }

  it('logs in with steps, shows what it saw and why it failed, logs in again, and is deleted', async () => {
    site.isClosed = true;
    const person = await browser.visit();
    visit = person;
    const { page } = person;
    await person.open('/sessions');
    await person.sees('No sessions yet');
    await page.locator('main a[href$="/sessions/new"]').click();
    await person.fill('Name', 'shop');
    await person.fill('Page to log in at', `${site.url}/login`);
    await addSteps(person);
    await isSound(soundOf(person), 'new');
    await person.click('Create the session');
    await person.sees('The last log-in or check failed');
    await person.sees('login.actions.4');
    await page.waitForFunction(() => {
      const image = document.querySelector<HTMLImageElement>('img[alt^="The page at the end"]');
      return image?.complete && image.naturalWidth > 0;
    });
    await isSound(soundOf(person), 'failed');
    site.isClosed = false;
    await person.click('Log in again');
    await person.sees('Captures use it.');
    expect(await person.text()).not.toContain('The last log-in or check failed');
    await isSound(soundOf(person), 'active');
    await page.locator('nav a[href$="/sessions"]').click();
    await person.sees(site.url);
    await isSound(soundOf(person), 'list');
    await page.locator('main table a').click();
    await person.sees('Captures use it.');
    await person.click('Delete');
    await person.click('Delete now');
    await person.sees('No sessions yet');
  });

  it('takes a state from a file, and captures with it', async () => {
    const person = await browser.visit();
    visit = person;
    const { page } = person;
    const cookie = { name: 'sid', value: site.addSession(), domain: '127.0.0.1', path: '/', httpOnly: true };
    const file = path.join(folder, 'state.json');
    await writeFile(file, JSON.stringify({ cookies: [cookie], origins: [] }));
    await writeFile(path.join(folder, 'other.json'), '[]');
    await person.open('/sessions/new');
    await person.fill('Name', 'saved');
    await page.locator('textarea[placeholder="https://shop.example"]').fill(site.url);
    await page.locator('::-p-xpath(//label[.="State of a browser"])').click();
    const input = (await page.waitForSelector('input[type=file]')) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(path.join(folder, 'other.json'));
    await person.sees('The file has no lists of cookies or origins');
    await input.uploadFile(file);
    await person.sees('state.json: Cookies: 1.');
    expect(await page.content()).not.toContain(cookie.value);
    await person.click('Create the session');
    await person.sees('Captures use it.');
    await person.click('Capture a page');
    await page.locator('#option-url-control').fill(`${site.url}/orders`);
    await page.locator('button[type=submit]').click();
    await person.sees('Account /orders');
  });
});

interface Sound {
  readonly page: ConsoleVisit['page'];
  readonly barriers: () => Promise<string[]>;
  readonly overflow: () => Promise<number>;
}
