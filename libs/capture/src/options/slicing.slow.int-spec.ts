import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { launch, type Browser } from 'puppeteer';
import { Capturing } from '../../../../test/support/capturing.js';
import { canProvideManuals, openManuals, type Manuals } from '../../../../test/support/manuals.js';
import { decoded, joined } from '../../../../test/support/slices.js';

const PAGES_OF_EACH = 10;
const LEEWAY = 100;
const HEIGHT = 1_000;

interface Line {
  readonly top: number;
  readonly bottom: number;
}

/** Runs in the page: the lines of its text, without the space above and below letters that lines share. */
function linesOfText(): Line[] {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const lines: Line[] = [];
  while (texts.nextNode()) {
    if (texts.currentNode.textContent?.trim() === '') continue;
    const range = document.createRange();
    range.selectNode(texts.currentNode);
    for (const { top, bottom, width } of range.getClientRects()) {
      const inner = (bottom - top) / 4;
      if (width > 1) lines.push({ top: top + scrollY + inner, bottom: bottom + scrollY - inner });
    }
  }
  return lines;
}

const crosses = (row: number, lines: readonly Line[]): boolean =>
  lines.some(({ top, bottom }) => top < row && row < bottom);

/** Pages that nobody wrote for a test. */
(canProvideManuals() ? describe : describe.skip)('slices of the pages of two manuals', () => {
  let capturing: Capturing;
  let manuals: Manuals;
  let browser: Browser;
  beforeAll(async () => {
    [capturing, manuals] = [await Capturing.open(), await openManuals()];
    browser = await launch({
      headless: 'shell',
      executablePath: process.env.PUPPETEER_EXECUTABLE_PATH,
      args: ['--no-sandbox'],
    });
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    manuals.close();
    await capturing.close();
  });

  async function linesOf(url: string): Promise<Line[]> {
    const page = await browser.newPage();
    try {
      await page.setViewport({ width: 1_280, height: 800 });
      await page.goto(url);
      return await page.evaluate(linesOfText);
    } finally {
      await page.close();
    }
  }

  it('make the whole picture when they are joined', async () => {
    for (const url of manuals.pages(PAGES_OF_EACH)) {
      const whole = await decoded((await capturing.capture(null, { url, full_page: true })).bytes);
      const options = { url, full_page: true, slice_height: HEIGHT, slice_at: 'exact' } as const;
      const all = await joined((await capturing.capture(null, options)).files);
      expect([url, all.width, all.height]).toEqual([url, whole.width, whole.height]);
      expect([url, all.pixels.equals(whole.pixels)]).toEqual([url, true]);
    }
  }, 300_000);

  it('never end in a line of text where there is a gap', async () => {
    let cuts = 0;
    for (const url of manuals.pages(PAGES_OF_EACH)) {
      const lines = await linesOf(url);
      const { files } = await capturing.capture(null, { url, full_page: true, slice_height: HEIGHT });
      for (const [i, { facts }] of files.slice(1).entries()) {
        const cut = facts.offsetY ?? 0;
        const wanted = (files[i]?.facts.offsetY ?? 0) + HEIGHT;
        const near = Array.from({ length: 2 * LEEWAY }, (_, at) => wanted - LEEWAY + at);
        const hasGap = near.some((row) => !crosses(row, lines));
        expect([url, cut, hasGap && crosses(cut, lines)]).toEqual([url, cut, false]);
        cuts += 1;
      }
    }
    expect(cuts).toBeGreaterThan(PAGES_OF_EACH);
  }, 300_000);
});
