import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';

const SCREENS = [
  { width: 390, scheme: 'dark' },
  { width: 768, scheme: 'light' },
  { width: 1_440, scheme: 'light' },
] as const;

describe('the layout of the console', () => {
  let apps: Apps;
  let client: Client;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;
  let batch: string;

  beforeAll(async () => {
    apps = await startApps();
    client = new Client(apps);
    browser = await ConsoleBrowser.launch(apps);
    const items = ['one', 'two', 'three'].map((name) => ({ html: `<h1>${name}</h1>`, reference: name }));
    batch = String((await json(client.post('/v1/bulk/json', { items }))).id);
    await eventually(
      'the batch has ended',
      async () => (await json(client.get(`/v1/bulk/${batch}`))).status === 'completed',
      60_000,
    );
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await apps.stop();
  });

  afterEach(async () => {
    expect(visit?.complaints ?? []).toEqual([]);
    await visit?.close();
    visit = undefined;
  });

  it.each(SCREENS)('fits at $width px for an account that has nothing yet', async (screen) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['dist/scripts/keys.js', 'create', '--account', `empty-${screen.width}`, '--json'],
      { env: { ...process.env, ...apps.env } },
    );
    visit = await browser.visit({ ...screen, key: (JSON.parse(stdout) as { key: string }).key });
    for (const [path, text] of [
      ['/webhooks', 'No webhook was sent yet'],
      ['/captures', 'No captures yet'],
      ['/batches', 'No batches yet'],
      ['/usage', 'No capture was charged'],
    ] as const) {
      await visit.open(path);
      await visit.sees(text);
      expect({ path, overflow: await visit.overflow(), outside: await outside(visit) }).toEqual({
        path,
        overflow: 0,
        outside: [],
      });
    }
  });

  it.each(SCREENS)('leaves the pictures free of their checkboxes at $width px', async (screen) => {
    visit = await browser.visit(screen);
    await visit.open('/captures');
    await visit.page.waitForSelector('[role=gridcell] img');
    const covered = await visit.page.$$eval('[role=gridcell]:has(img)', (cells) =>
      cells.filter((cell) => {
        const [box, picture] = ['input[type=checkbox]', 'img'].map((each) =>
          cell.querySelector(each)?.getBoundingClientRect(),
        );
        return !box || !picture || box.width === 0 || box.top < picture.bottom;
      }),
    );
    expect(covered).toHaveLength(0);
  });

  it.each(SCREENS)('shows all of the ring around what has the focus at $width px', async (screen) => {
    visit = await browser.visit(screen);
    for (const [path, target] of [
      ['/captures', '[data-search]'],
      ['/captures', 'a[data-index="0"]'],
      ['/captures', 'a[data-index="2"]'],
      ['/captures?view=table', 'a[data-index="2"]'],
      [`/batches/${batch}?view=grid`, '[role=listitem] a'],
      [`/batches/${batch}?view=list`, '[role=listitem] a'],
      ['/capture', '[data-search]'],
    ] as const) {
      await visit.open(path);
      await visit.page.waitForSelector(target);
      await visit.page.keyboard.press('Shift');
      await visit.page.focus(target);
      expect({ path, target, ring: await ring(visit) }).toEqual({ path, target, ring: 'shown' });
    }
  });

  it.each(SCREENS)('shows all of a date and time at $width px', async (screen) => {
    visit = await browser.visit(screen);
    await visit.open('/captures?created_after=2026-11-22T10:30:00Z');
    await visit.page.locator('::-p-aria(Filters, 1 in use)').click();
    await visit.page.waitForSelector('input[type=datetime-local]');
    const cut = await visit.page.$$eval('input[type=datetime-local]', (fields) =>
      fields.filter((field) => {
        const natural = field.cloneNode() as HTMLInputElement;
        natural.value = '2026-11-22T10:30';
        natural.style.width = 'max-content';
        field.after(natural);
        const needed = natural.offsetWidth;
        natural.remove();
        return field.offsetWidth < needed;
      }),
    );
    expect(cut).toHaveLength(0);
    await visit.open('/usage');
    await visit.page.waitForSelector('input[type=date]');
    const tops = await visit.page.$$eval('input[type=date]', (fields) =>
      fields.map((field) => Math.round(field.getBoundingClientRect().top)),
    );
    expect(tops).toEqual([tops[0], tops[0]]);
  });
});

/** Some of the elements that stick out of the window, and are not in a part that scrolls. */
function outside({ page }: ConsoleVisit): Promise<string[]> {
  return page.$$eval('main *', (all) => {
    const scrolls = all.filter((each) => getComputedStyle(each).overflowX === 'auto');
    return all
      .filter((each) => {
        const { left, right, width } = each.getBoundingClientRect();
        return width > 1 && (left < 0 || right > document.documentElement.clientWidth + 1);
      })
      .filter((each) => !scrolls.some((part) => part !== each && part.contains(each)))
      .slice(0, 3)
      .map(({ outerHTML }) => outerHTML.slice(0, 120));
  });
}

/** Whether the element with the focus, or what it is in, has an outline that nothing cuts off. */
function ring({ page }: ConsoleVisit): Promise<string> {
  return page.evaluate(() => {
    const MIN_PX = 2;
    const widthOf = (element: Element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle === 'none' ? 0 : parseFloat(outlineWidth);
    };
    let marked = document.activeElement;
    while (marked && widthOf(marked) < MIN_PX) marked = marked.parentElement;
    if (!marked) return 'missing';
    const more = widthOf(marked) + parseFloat(getComputedStyle(marked).outlineOffset);
    const { left, top, right, bottom } = marked.getBoundingClientRect();
    if (left - more < 0 || right + more > innerWidth) return 'outside of the window';
    for (let around = marked.parentElement; around; around = around.parentElement) {
      if (around === document.body) break;
      if (getComputedStyle(around).overflow === 'visible') continue;
      const box = around.getBoundingClientRect();
      const isCut =
        left - more < box.left ||
        top - more < box.top ||
        right + more > box.right ||
        bottom + more > box.bottom;
      if (isCut) return `cut off by ${around.className}`;
    }
    return 'shown';
  });
}
