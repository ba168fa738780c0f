import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { json } from '../support/client.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';

/** Markup, quotes and signs of other directions in every text. */
const HOSTILE = `<img src=x onerror="window.isHacked=true">'"\`\${x}</script>\u202Egnp.\u202C 😀`;
const WIDTH = '#option-viewport_width-control';

describe('the playground of the console', () => {
  let site: FixtureSite;
  let apps: Apps;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;

  beforeAll(async () => {
    site = await startFixtureSite();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}` });
    browser = await ConsoleBrowser.launch(apps);
  });

  afterAll(async () => {
    site.release();
    await browser.close();
    await apps.stop();
    await site.close();
  });

  afterEach(async () => {
    expect(visit?.complaints ?? []).toEqual([]);
    await visit?.close();
    visit = undefined;
  });

  /** A person with the form, and these options in it. */
  async function formWith(options: object, settings: Parameters<ConsoleBrowser['visit']>[0] = {}) {
    visit = await browser.visit(settings);
    await visit.open(`/capture?options=${encodeURIComponent(JSON.stringify(options))}`);
    await visit.page.waitForSelector('form');
    return visit;
  }

  const run = ({ page }: ConsoleVisit) => page.locator('button[type=submit]').click();
  const tab = ({ page }: ConsoleVisit, name: string) =>
    page.locator(`::-p-xpath(//button[@role="tab"][starts-with(., "${name}")])`).click();
  const valueOf = ({ page }: ConsoleVisit, field: string) =>
    page.$eval(field, (element) => (element as HTMLInputElement).value);

  /** The JSON of the editor, as soon as it is `expected`. */
  async function seesJson({ page }: ConsoleVisit, expected: object): Promise<void> {
    await page.waitForFunction(
      (wanted) => {
        const lines = [...document.querySelectorAll('.cm-line')].map((line) => line.textContent);
        try {
          return JSON.stringify(JSON.parse(lines.join('\n'))) === wanted;
        } catch {
          return false;
        }
      },
      {},
      JSON.stringify(expected),
    );
  }

  async function writeJson({ page }: ConsoleVisit, text: string): Promise<void> {
    await page.locator('.cm-content').click();
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    await page.keyboard.sendCharacter(text);
  }

  /** Colours of the picture at these heights, and its size. */
  async function picture({ page }: ConsoleVisit, heights: readonly number[]) {
    await page.waitForFunction(() => {
      const image = document.querySelector<HTMLImageElement>('img[alt^="Captured picture"]');
      return image?.complete && image.naturalWidth > 0;
    });
    return page.$eval(
      'img[alt^="Captured picture"]',
      (image, ys) => {
        const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
        const context = canvas.getContext('2d', {
          willReadFrequently: true,
        }) as OffscreenCanvasRenderingContext2D;
        context.drawImage(image, 0, 0);
        const colours = ys.map((y) => [...context.getImageData(5, y, 1, 1).data].slice(0, 3).join());
        return { width: canvas.width, height: canvas.height, colours };
      },
      heights,
    );
  }

  it('captures a page, shows its picture, and still has it after a visit of another page', async () => {
    visit = await browser.visit();
    await visit.open('/capture');
    await visit.page.locator('#option-url-control').fill(`${site.url}/bands.html`);
    await run(visit);
    const shown = { width: 1_280, height: 800, colours: ['255,0,0', '0,255,0'] };
    expect(await picture(visit, [10, 450])).toEqual(shown);
    await visit.sees('It looks like an ordinary page.');
    await visit.click('Status');
    await visit.page.waitForFunction(() => location.pathname.endsWith('/status'));
    await visit.page.locator('nav a[href$="/capture"]').click();
    expect(await picture(visit, [10, 450])).toEqual(shown);
    expect(await valueOf(visit, '#option-url-control')).toBe(`${site.url}/bands.html`);
  });

  it('shows the slices of a page in a column', async () => {
    const options = { url: `${site.url}/bands.html`, full_page: true, slice_height: 900, slice_at: 'exact' };
    visit = await formWith(options);
    await run(visit);
    await visit.sees('3 slices');
    const column = '[aria-label="Slices of result"]';
    const tops = (): Promise<number[]> =>
      (visit as ConsoleVisit).page.$$eval(`${column} img`, (images) =>
        images.map((image) => Math.round(image.getBoundingClientRect().top)),
      );
    const [first = 0, second = 0, third = 0] = await tops();
    expect(second).toBeGreaterThan(first + 100);
    expect(third).toBeGreaterThan(second + 100);
    await visit.sees('result-002 · from 900 px · 1,280 × 900 px');
  });

  it('has what people change most at its top, and completes an address', async () => {
    visit = await browser.visit();
    await visit.open('/capture');
    for (const name of ['format', 'full_page', 'clean', 'device'])
      await visit.page.waitForSelector(`form > :first-child #option-${name}`);
    await visit.page.locator('#option-url-control').fill('example.com/about');
    await visit.page.locator('#option-full_page-control').click();
    expect(await valueOf(visit, '#option-url-control')).toBe('https://example.com/about');
    await visit.page.locator('input[type=search]').fill('full_page');
    await visit.sees('At the top of the form: full_page');
  });

  it('names EGRESS_ALLOW to the operator when an address is refused, and completes one that is submitted at once', async () => {
    visit = await browser.visit();
    await visit.open('/capture');
    await visit.page.locator('#option-url-control').fill('localhost:1/');
    await visit.page.focus('#option-url-control');
    await run(visit);
    await visit.sees('target_forbidden');
    await visit.sees('EGRESS_ALLOW=localhost:8000');
    expect(await valueOf(visit, '#option-url-control')).toBe('http://localhost:1/');
  });

  it('zooms the picture by buttons and keys', async () => {
    const person = await formWith({ url: `${site.url}/bands.html` });
    const { page } = person;
    await run(person);
    await picture(person, []);
    const width = () => page.$eval('img[alt^="Captured"]', (image) => image.getBoundingClientRect().width);
    await person.page.locator('::-p-xpath(//label[.="1:1"])').click();
    expect(await width()).toBe(1_280);
    await person.click('Zoom in');
    expect(await width()).toBe(1_920);
    await page.focus('[aria-label^="Picture result"]');
    await page.keyboard.press('0');
    expect(await width()).toBeLessThan(1_000);
  });

  it('keeps the form and the JSON the same, whichever is changed', async () => {
    const person = await formWith({ url: `${site.url}/bands.html` });
    const { page } = person;
    await page.locator('#option-full_page-control').click();
    await tab(person, 'JSON');
    await seesJson(person, { url: `${site.url}/bands.html`, full_page: true });
    await writeJson(person, `{"url": "${site.url}/bands.html", "full_page": true, "viewport_widht": 400}`);
    await person.sees('viewport_widht is not an option. Did you mean viewport_width?');
    await page.waitForSelector('.cm-lint-marker-error');
    expect(await valueOf(person, WIDTH)).toBe('');
    await writeJson(person, `{"url": "${site.url}/bands.html", "full_page": true, "viewport_width": 400}`);
    await page.waitForFunction(
      (field) => document.querySelector<HTMLInputElement>(field)?.value === '400',
      {},
      WIDTH,
    );
    await page.keyboard.down('Control');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Control');
    expect(await picture(person, [1_990])).toEqual({ width: 400, height: 2_000, colours: ['255,0,255'] });
  });

  it('leaves out what does not apply to the format', async () => {
    const person = await formWith({ url: `${site.url}/bands.html`, format: 'pdf', pdf_paper: 'a3' });
    const { page } = person;
    await page.locator('[aria-label="Reset format"]').click();
    await tab(person, 'JSON');
    await seesJson(person, { url: `${site.url}/bands.html` });
    await page.locator('input[type=search]').fill('pdf_paper');
    await person.sees('only pdf');
  });

  it('shows an error of the service at its field, until the field changes', async () => {
    const person = await formWith({ url: `${site.url}/bands.html`, latitude: 3 });
    const { page } = person;
    await run(person);
    await person.sees('needs longitude');
    await page.waitForFunction(() => document.activeElement?.id === 'option-latitude-control');
    const error = await page.$eval('#option-latitude-control-error', ({ textContent }) => textContent);
    expect(error).toBe('needs longitude');
    await page.locator('[aria-label="Reset latitude"]').click();
    await page.waitForSelector('#option-latitude-control-error', { hidden: true });
  });

  it('sends nothing that the API document refuses', async () => {
    const person = await formWith({ url: `${site.url}/bands.html`, delay_ms: 30_001 });
    const { page } = person;
    const sent: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
    await run(person);
    await page.waitForFunction(() => document.activeElement?.id === 'option-delay_ms-control');
    await person.sees('must be between 0 and 30000');
    expect(sent).toEqual([]);
  });

  it('shows the progress, and cancels', async () => {
    const person = await formWith({ url: `${site.url}/held` });
    await run(person);
    await person.page.waitForSelector('[aria-current="step"]');
    await person.page.locator('::-p-xpath(//button[.="Cancel"])').click();
    await person.sees('It was canceled on request. Nothing is charged.');
  });

  it('makes a link to the form, without its secrets', async () => {
    const options = {
      url: `${site.url}/bands.html?${encodeURIComponent(HOSTILE)}`,
      css: HOSTILE,
      full_page: true,
    };
    const person = await formWith({ ...options, headers: { 'x-secret': 'never told' } });
    const { page } = person;
    await person.sees('The link leaves out headers.');
    const link = await page.$eval('a[href*="#options="]', ({ href }) => href);
    expect(link).not.toMatch(/never|x-secret/);
    await page.goto('about:blank');
    await page.goto(link);
    await page.waitForSelector('form');
    await tab(person, 'JSON');
    await seesJson(person, { url: options.url, css: HOSTILE, full_page: true });
  });

  it('takes over the options of a record, and says which secrets it cannot know', async () => {
    const person = await formWith({ url: `${site.url}/bands.html`, headers: '[redacted]', full_page: true });
    await person.sees('The capture had headers, which its record does not show');
    await tab(person, 'JSON');
    await seesJson(person, { url: `${site.url}/bands.html`, full_page: true });
  });

  it('shows captured HTML as text, and hostile texts as they are', async () => {
    const html = `<title>${HOSTILE.replaceAll('<', '&lt;')}</title><p>${HOSTILE}<script>window.isHacked = true</script>`;
    const person = await formWith({ html, format: 'html', reference: HOSTILE, metadata: true });
    const { page } = person;
    await run(person);
    await page.waitForSelector('pre[aria-label="Text of result"]');
    await person.sees(HOSTILE);
    expect(await page.evaluate(() => 'isHacked' in window)).toBe(false);
    expect(await person.overflow()).toBe(0);
  });

  it('signs a link, says why it does not, and its code makes the same request', async () => {
    const person = await formWith({ url: `${site.url}/bands.html`, full_page: true, viewport_width: 300 });
    const { page } = person;
    await tab(person, 'Code');
    const code = await page.$eval('pre[aria-label="Code"]', ({ textContent }) => textContent);
    expect(code).toContain(`curl -sS --fail-with-body '${apps.url}/v1/capture'`);
    await page.locator('::-p-xpath(//label[.="Signed link"])').click();
    await page.waitForSelector('[data-link]');
    const link = await page.$eval('[data-link]', ({ textContent }) => textContent ?? '');
    const response = await fetch(link);
    expect(response.headers.get('content-type')).toBe('image/png');
    await response.arrayBuffer();
    await page.locator('input[type=search]').fill('js');
    await page.locator('#option-js-control').fill('return 1');
    await person.sees('These options cannot be put into a link');
  });

  it.each([
    [1_440, 'light'],
    [390, 'dark'],
  ] as const)('has no barriers at %d px, %s', async (width, scheme) => {
    const submitted = await fetch(`${apps.url}/v1/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apps.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${site.url}/bands.html`, metadata: true, reference: HOSTILE }),
    });
    const { id } = await json(submitted);
    visit = await browser.visit({ width, scheme });
    await visit.open(`/capture?job=${String(id)}`);
    await picture(visit, []);
    for (const name of width === 1_440 ? ['Result'] : ['Result', 'JSON', 'Code']) {
      await tab(visit, name);
      await visit.page.waitForSelector(
        { Result: 'img[alt^="Captured"]', JSON: '.cm-content', Code: 'pre' }[name] as string,
      );
      expect(await visit.barriers()).toEqual([]);
      expect(await visit.overflow()).toBe(0);
    }
  });
});
