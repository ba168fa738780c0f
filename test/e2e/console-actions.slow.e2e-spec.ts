import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ElementHandle } from 'puppeteer';
import { startApps, type Apps } from '../support/apps.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';

const SECRET = 'canary-console-5d1e';

// CI looks at each page of the console (console-pages.e2e-spec.ts); the whole way of a person takes too long for it.
describe('the editor of actions in the console', () => {
  let site: FixtureSite;
  let apps: Apps;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;

  beforeAll(async () => {
    site = await startFixtureSite();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}`, WORKER_SLOTS: '2' });
    browser = await ConsoleBrowser.launch(apps);
  });

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

  /** A person at the options of actions, with these options in the form. */
  async function editorWith(options: object, width = 1_440): Promise<ConsoleVisit> {
    visit = await browser.visit({ width });
    await visit.open(`/capture?options=${encodeURIComponent(JSON.stringify(options))}`);
    const search = await visit.page.waitForSelector('input[aria-label="Search options"]');
    await search?.type('actions');
    await visit.page.waitForSelector('#option-actions-control');
    return visit;
  }

  async function addStep({ page }: ConsoleVisit, type: string): Promise<void> {
    await page.locator('#option-actions-control').click();
    await page.locator(`::-p-xpath(//*[@role="option"][.//strong[.="${type}"]])`).click();
    await page.waitForSelector(`li[aria-label$=", ${type}"]`);
  }

  const stepsOf = ({ page }: ConsoleVisit) =>
    page.$$eval('ol[aria-label="Steps"] > li', (items) => items.map((item) => item.ariaLabel));

  /** The size of the picture with this text, as soon as it is there. */
  async function pictureOf({ page }: ConsoleVisit, alt: string): Promise<{ width: number; height: number }> {
    const image = (await page.waitForSelector(`img[alt="${alt}"]`)) as ElementHandle<HTMLImageElement>;
    await page.waitForFunction((each) => each.complete && each.naturalWidth > 0, {}, image);
    return image.evaluate(({ naturalWidth, naturalHeight }) => ({
      width: naturalWidth,
      height: naturalHeight,
    }));
  }

  /** The options that the form has now. */
  async function optionsIn({ page }: ConsoleVisit): Promise<Record<string, unknown>> {
    await page.locator('::-p-xpath(//button[@role="tab"][starts-with(., "JSON")])').click();
    await page.waitForSelector('.cm-line');
    const lines = await page.$$eval('.cm-line', (all) => all.map(({ textContent }) => textContent));
    return JSON.parse(lines.join('\n')) as Record<string, unknown>;
  }

  it('adds, orders and removes steps, and shows the page after each', async () => {
    const url = `${site.url}/actions/form.html`;
    const person = await editorWith({ url, viewport_width: 500, viewport_height: 400 });
    await addStep(person, 'hover');
    await addStep(person, 'fill');
    await person.fill('selector of step 1', '#plain');
    await person.fill('selector of step 2', '#name');
    await person.fill('value of step 2', 'Ada');
    await addStep(person, 'back');
    expect(await stepsOf(person)).toEqual(['Step 1, hover', 'Step 2, fill', 'Step 3, back']);
    await person.click('Remove step 3');
    await person.click('Move step 2 up');
    expect(await stepsOf(person)).toEqual(['Step 1, fill', 'Step 2, hover']);
    await person.click('Run to step 1');
    expect(await pictureOf(person, 'The page after step 1')).toEqual({ width: 500, height: 400 });
    await person.click('Run to step 2');
    await pictureOf(person, 'The page after step 2');
    await person.fill('value of step 1', 'Ada Lovelace');
    await person.page.waitForSelector('img[alt^="The page after"]', { hidden: true });
    expect((await optionsIn(person)).actions).toEqual([
      { type: 'fill', selector: '#name', value: 'Ada Lovelace' },
      { type: 'hover', selector: '#plain' },
    ]);
  });

  it('shows why a step failed at that step, with the picture of that moment', async () => {
    const actions = [
      { type: 'fill', selector: '#name', value: 'Ada' },
      { type: 'click', selector: '#nowhere', timeout_ms: 200 },
      { type: 'hover', selector: '#plain' },
    ];
    const person = await editorWith({ url: `${site.url}/actions/form.html`, actions });
    await person.click('Run to step 3');
    await pictureOf(person, 'The page when step 2 failed');
    const failed = await person.page.$eval(
      'li[aria-label="Step 2, click"]',
      (item) => (item as HTMLElement).innerText,
    );
    expect(failed).toContain('nothing on the page matches');
    await person.sees('It was not reached: step 2 failed.');
    expect(await person.page.$$('figure')).toHaveLength(1);
  });

  it('shows at its step and field what the service refuses', async () => {
    const actions = [{ type: 'press', key: 'Entre' }];
    const person = await editorWith({ url: `${site.url}/actions/form.html`, actions });
    await person.page.locator('button[type=submit]').click();
    await person.page.waitForSelector('li[data-faulty][aria-label="Step 1, press"] [role=alert]');
    const fault = await person.page.$eval('li[data-faulty] [role=alert]', ({ textContent }) => textContent);
    expect(fault).toMatch(/^key /);
  });

  it('has passwords in fields of their own, and stores them nowhere in the browser', async () => {
    const person = await editorWith({ url: `${site.url}/actions/login.html` });
    const { page } = person;
    await addStep(person, 'fill');
    await person.fill('selector of step 1', '#password');
    await page.locator('::-p-xpath(//label[.="Secret"])').click();
    await person.fill('secret of step 1', 'password');
    await page.keyboard.press('Escape');
    const field = 'input[aria-label="Value for secret of step 1"]';
    await page.locator(field).fill(SECRET);
    expect(await page.$eval(field, (input) => [input.type, input.getAttribute('autocomplete')])).toEqual([
      'password',
      'new-password',
    ]);
    await person.click('Run to step 1');
    await pictureOf(person, 'The page after step 1');
    await person.sees('The link leaves out secrets.');
    const stored = await page.evaluate(async () => {
      const databases = await indexedDB.databases();
      return JSON.stringify([
        { ...localStorage },
        { ...sessionStorage },
        databases,
        document.cookie,
        location.href,
      ]);
    });
    expect(stored).not.toContain(SECRET);
    expect(await person.text()).not.toContain(SECRET);
    expect(await optionsIn(person)).toMatchObject({
      actions: [{ type: 'fill', selector: '#password', secret: 'password' }],
      secrets: { password: SECRET },
    });
  });

  it('takes a recording of Chrome, dropped or chosen, and shows the page after its steps', async () => {
    const person = await editorWith({ url: `${site.url}/actions/form.html` });
    const { page } = person;
    const drop = (name: string, text: string) =>
      page.$eval(
        '#option-recording [aria-label="Drop zone"]',
        (zone, file) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([file.text], file.name));
          zone.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
        },
        { name, text },
      );
    await drop('flow.js', 'import puppeteer');
    await person.sees('flow.js is not JSON');
    const folder = path.resolve('test/support/recordings');
    const recorded = await readFile(path.join(folder, 'form.json'), 'utf8');
    await drop('form.json', recorded.replaceAll('http://recorded.test', site.url));
    await page.waitForSelector('ol[aria-label="Recorded steps"]');
    await person.sees('change aria/Name = Ada');
    await person.click('Run to step 4');
    await pictureOf(person, 'The page after step 4');
    await person.click('Remove the recording');
    const chooser = page.waitForFileChooser();
    await page.locator('#option-recording button').click();
    await (await chooser).accept([path.join(folder, 'form.json')]);
    await page.waitForSelector('ol[aria-label="Recorded steps"]');
  });

  it.each([390, 768, 1_280])('has no barriers at %d px', async (width) => {
    const actions = [
      { type: 'fill', selector: '#password', secret: 'password' },
      { type: 'wait', selector: '.ready', state: 'hidden', frame: 'iframe', timeout_ms: 500, optional: true },
      { type: 'select', selector: '#country', values: ['de'] },
      { type: 'click', selector: '#nowhere', timeout_ms: 200 },
    ];
    const recording = { title: 'Search', steps: [{ type: 'click', selectors: [['a'.repeat(200)]] }] };
    const secrets = { password: SECRET };
    const person = await editorWith(
      { url: `${site.url}/actions/form.html`, actions, recording, secrets },
      width,
    );
    await person.click('Run to step 4');
    await person.page.waitForSelector('ol[aria-label="Steps"] [role=alert]');
    expect(await person.barriers()).toEqual([]);
    expect(await person.overflow()).toBe(0);
  });
});
