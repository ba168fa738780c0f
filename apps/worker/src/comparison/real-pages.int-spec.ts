import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureOptions, CapturedFile } from '@app/capture';
import { Capturing } from '../../../../test/support/capturing.js';
import { canProvideManuals, openManuals, type Manuals } from '../../../../test/support/manuals.js';
import { OdiffService } from './odiff.service.js';
import { comparePictures, type ComparedPicture, type PictureChange } from './picture-comparison.js';

/** Changes to a page of the handbook, and what they change: the element gets the id `changed`. */
const CHANGES = {
  'one word': `const p = document.querySelector('.section p, p'); const [first] = p.childNodes;
    const word = document.createElement('span'); word.id = 'changed'; word.textContent = 'CHANGED';
    word.style.cssText = 'position: absolute; background: white';
    p.insertBefore(word, first);`,
  'one colour': `const h = document.querySelector('h1, h2, h3'); h.id = 'changed'; h.style.background = '#ffd0d0';`,
  'a button': `const b = document.createElement('button'); b.id = 'changed'; b.textContent = 'Buy';
    b.style.cssText = 'position: absolute; left: 700px; top: 500px; width: 90px; height: 30px'; document.body.append(b);`,
  'an image': `const i = new Image(60, 40); i.id = 'changed'; i.style.cssText = 'position: absolute; left: 900px; top: 200px';
    i.src = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"><rect width="100%" height="100%" fill="teal"/></svg>';
    document.body.append(i); await i.decode();`,
};

(canProvideManuals() ? describe : describe.skip)('comparison of real pages', () => {
  const odiff = new OdiffService();
  let capturing: Capturing;
  let manuals: Manuals;
  let folder: string;

  beforeAll(async () => {
    manuals = await openManuals();
    capturing = await Capturing.open();
    folder = await mkdtemp(path.join(tmpdir(), 'comparison-'));
  }, 180_000);

  afterAll(async () => {
    odiff.onApplicationShutdown();
    manuals.close();
    await capturing.close();
    await rm(folder, { recursive: true });
  });

  async function capture(page: string, options: Partial<CaptureOptions> = {}): Promise<CapturedFile> {
    const { files } = await capturing.capture(page, { stable: true, ...options });
    return files[0];
  }

  function compare(before: CapturedFile, now: CapturedFile): Promise<PictureChange> {
    const [one, other] = [before, now].map(
      ({ bytes, format, facts: { width, height } }): ComparedPicture => ({
        bytes,
        format,
        width: width ?? 0,
        height: height ?? 0,
      }),
    );
    if (!one || !other) throw new Error('two pictures are needed');
    const { signal } = new AbortController();
    return comparePictures({ before: one, now: other, threshold: 0.1, ignored: [], folder, odiff, signal });
  }

  it('finds no change on pages that do not change', async () => {
    for (const page of [...manuals.pages(1), '/boxes.html']) {
      const change = await compare(await capture(page), await capture(page));
      expect([page, change.ratio]).toEqual([page, 0]);
    }
  }, 120_000);

  it.each(Object.entries(CHANGES))('finds %s, and where it is', async (_, js) => {
    const page = manuals.pages(3)[1] ?? '';
    const before = await capture(page);
    const now = await capture(page, { js, compare_with: 'previous', compare_ignore_selectors: ['#changed'] });
    const [place] = now.ignored ?? [];
    if (!place) throw new Error('the change is not in the picture');
    const { boxes, ratio } = await compare(before, now);
    expect(boxes.length).toBeGreaterThan(0);
    expect(ratio).toBeLessThan(0.2);
    for (const box of boxes) {
      expect([box.x >= place.x - 1, box.y >= place.y - 1]).toEqual([true, true]);
      expect(box.x + box.width).toBeLessThanOrEqual(place.x + place.width + 1);
      expect(box.y + box.height).toBeLessThanOrEqual(place.y + place.height + 1);
    }
  });
});
