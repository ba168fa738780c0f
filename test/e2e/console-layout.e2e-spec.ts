import { execFile } from 'node:child_process';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';

/** A page that is wrong remains so. */
const SETTLED_WITHIN_MS = 5_000;

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

  /** Expects what `look` finds on the page in each of the windows, once charts have taken their new size. */
  async function inAllWindows(
    look: (seen: ConsoleVisit) => Promise<object>,
    expected: object,
  ): Promise<void> {
    const current = visit;
    if (!current) throw new Error('Nobody visits the console.');
    for (const screen of SCREENS) {
      await current.resize(screen);
      let found: object = {};
      const isAsExpected = async () => isDeepStrictEqual((found = await look(current)), expected);
      // On failure the comparison below shows the difference.
      await eventually('the page has settled', isAsExpected, SETTLED_WITHIN_MS).catch(() => undefined);
      expect({ ...screen, ...found }).toEqual({ ...screen, ...expected });
    }
  }

  it('fits for an account that has nothing yet', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['dist/scripts/keys.js', 'create', '--account', 'empty', '--json'],
      { env: { ...process.env, ...apps.env } },
    );
    visit = await browser.visit({ ...SCREENS[0], key: (JSON.parse(stdout) as { key: string }).key });
    await visit.open('/status');
    for (const [path, text] of [
      ['/webhooks', 'No webhook was sent yet'],
      ['/captures', 'No captures yet'],
      ['/batches', 'No batches yet'],
      ['/usage', 'No capture was charged'],
    ] as const) {
      await visit.goTo(path);
      await visit.sees(text);
      const look = async (seen: ConsoleVisit) => ({
        path,
        overflow: await seen.overflow(),
        outside: await outside(seen),
      });
      await inAllWindows(look, { path, overflow: 0, outside: [] });
    }
  });

  it('leaves the pictures free of their checkboxes', async () => {
    visit = await browser.visit(SCREENS[0]);
    await visit.open('/captures');
    await visit.page.waitForSelector('[role=gridcell] img');
    await inAllWindows(async ({ page }) => ({ covered: await page.evaluate(coveredPictures) }), {
      covered: 0,
    });
  });

  it('shows all of the ring around what has the focus', async () => {
    visit = await browser.visit(SCREENS[0]);
    await visit.open('/status');
    for (const [path, target] of [
      ['/captures', '[data-search]'],
      ['/captures', 'a[data-index="0"]'],
      ['/captures', 'a[data-index="2"]'],
      ['/captures?view=table', 'a[data-index="2"]'],
      [`/batches/${batch}?view=grid`, '[role=listitem] a'],
      [`/batches/${batch}?view=list`, '[role=listitem] a'],
      ['/capture', '[data-search]'],
    ] as const) {
      await visit.goTo(path);
      const look = async (seen: ConsoleVisit) => {
        await seen.page.waitForSelector(target);
        await seen.page.keyboard.press('Shift');
        await seen.page.focus(target);
        return { path, target, ring: await ring(seen) };
      };
      await inAllWindows(look, { path, target, ring: 'shown' });
    }
  });

  it('shows all of a date and time', async () => {
    visit = await browser.visit(SCREENS[0]);
    await visit.open('/captures?created_after=2026-11-22T10:30:00Z');
    await visit.page.locator('::-p-aria(Filters, 1 in use)').click();
    await visit.page.waitForSelector('input[type=datetime-local]');
    await inAllWindows(async ({ page }) => ({ cut: await page.evaluate(cutFields) }), { cut: [] });
    await visit.goTo('/usage');
    await visit.page.waitForSelector('input[type=date]');
    const tops = async ({ page }: ConsoleVisit) => {
      const [from, to, ...others] = await page.$$eval('input[type=date]', (fields) =>
        fields.map((field) => Math.round(field.getBoundingClientRect().top)),
      );
      return { isOneLine: from === to, others };
    };
    await inAllWindows(tops, { isOneLine: true, others: [] });
  });
});

/** How many pictures of captures have no checkbox, or are covered by it. */
function coveredPictures(): number {
  const cells = [...document.querySelectorAll('[role=gridcell]')].filter((cell) => cell.querySelector('img'));
  return cells.filter((cell) => {
    const [box, picture] = ['input[type=checkbox]', 'img'].map((each) =>
      cell.querySelector(each)?.getBoundingClientRect(),
    );
    return !box || !picture || box.width === 0 || box.top < picture.bottom;
  }).length;
}

/** The fields for a date and time that are narrower than their text, or a word where there is none. */
function cutFields(): string[] {
  const fields = [...document.querySelectorAll<HTMLInputElement>('input[type=datetime-local]')];
  const cut = fields.filter((field) => {
    const natural = field.cloneNode() as HTMLInputElement;
    natural.value = '2026-11-22T10:30';
    natural.style.width = 'max-content';
    field.after(natural);
    const needed = natural.offsetWidth;
    natural.remove();
    return field.offsetWidth < needed;
  });
  return fields.length === 0 ? ['no field'] : cut.map(({ outerHTML }) => outerHTML.slice(0, 120));
}

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
