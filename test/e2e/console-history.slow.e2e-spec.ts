import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { ConsoleBrowser, type ConsoleVisit } from '../support/console-browser.js';
import { seedHistory } from '../support/history-rows.js';

const SEEDED = 10_000;
/** Elements that the page has at most, however many captures there are. */
const MOST_ELEMENTS = 2_000;

// It is slow because a browser reads and draws all of these rows: half a minute of CPU time, which fewer rows would take off
// what is shown.
describe('the console with a long history', () => {
  let apps: Apps;
  let browser: ConsoleBrowser;
  let visit: ConsoleVisit | undefined;

  beforeAll(async () => {
    apps = await startApps();
    browser = await ConsoleBrowser.launch(apps);
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await apps.stop();
  });

  afterEach(async () => {
    const complaints = visit?.complaints ?? [];
    await visit?.close();
    visit = undefined;
    expect(complaints).toEqual([]);
  });

  it('shows ten thousand captures without slowing, and keeps the place in them', async () => {
    await seedHistory(apps.database, SEEDED);
    visit = await browser.visit();
    await visit.open('/captures?host=seeded.example');
    await visit.page.waitForSelector('a[data-index]');
    await visit.page.evaluate(async () => {
      const grid = document.querySelector('[role=grid]');
      while (grid?.getAttribute('aria-rowcount') === '-1') {
        scrollTo(0, document.documentElement.scrollHeight);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    await visit.page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await visit.page.waitForSelector(`a[data-index="${SEEDED - 1}"]`);
    expect(await visit.page.$$eval('*', (all) => all.length)).toBeLessThan(MOST_ELEMENTS);
    const title = await visit.page.$eval(`a[data-index="${SEEDED - 1}"]`, ({ textContent }) => textContent);
    expect(title).toContain(`/${SEEDED}`);
    await visit.page.focus(`a[data-index="${SEEDED - 1}"]`);
    const place = await visit.page.evaluate(() => scrollY);
    await visit.page.waitForFunction(
      (y) => (history.state as { captures?: { scroll: number } } | null)?.captures?.scroll === y,
      {},
      place,
    );
    await visit.page.keyboard.press('Enter');
    await visit.sees('seeded.example');
    await visit.page.waitForFunction(() => scrollY === 0);
    await visit.page.goBack();
    await visit.page.waitForSelector(`a[data-index="${SEEDED - 1}"]:focus`);
    expect(await visit.page.evaluate(() => scrollY)).toBe(place);
  }, 120_000);

  it('shows a batch of 5,000 rows without slowing', async () => {
    const csv = Array.from({ length: 5_000 }, (_, i) => `row ${i + 1},${i === 0 ? '' : 9_000 + i}`);
    const body = `reference,viewport_width\n${csv.join('\n')}`;
    const query = `on_invalid=skip&html=${encodeURIComponent('<h1>Hi</h1>')}`;
    const accepted = await fetch(`${apps.url}/v1/bulk/csv?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apps.key}`, 'content-type': 'text/csv' },
      body,
    });
    const { id } = (await accepted.json()) as { id: string };
    visit = await browser.visit();
    await visit.open(`/batches/${id}`);
    await visit.sees('5,000 of 5,000 rows have ended');
    for (const view of ['list', 'grid']) {
      await visit.open(`/batches/${id}?view=${view}`);
      await visit.sees('row 15');
      await visit.page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await visit.sees('row 5000');
      const elements = await visit.page.evaluate(() => document.querySelectorAll('*').length);
      expect({ view, isBounded: elements < 1_500 }).toEqual({ view, isBounded: true });
    }
    expect(await visit.barriers()).toEqual([]);
  });
});
