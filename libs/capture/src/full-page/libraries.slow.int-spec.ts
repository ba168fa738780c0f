// Slow: each page is scrolled through with a real library, several of them more than once.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing, type Picture } from '../../../../test/support/capturing.js';

const GREEN = '00ff00';
const BLUE = '0000ff';
const SECTION = 700;

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

function colours(picture: Picture, step: number, start: number): string[] {
  return Array.from({ length: 12 }, (_, i) => picture.colourAt(400, start + step * i));
}

describe('a full page made with', () => {
  it.each(['aos', 'aos&mirror', 'lazysizes', 'lenis', 'lozad', 'masonry', 'sal', 'vanilla-lazyload'])(
    '%s shows all sections',
    async (library) => {
      const picture = await capturing.picture(`/libraries.html?library=${library}`, { full_page: true });
      expect(colours(picture, SECTION, 250)).toEqual(Array(12).fill(GREEN));
      expect(picture.captured.facts.complete).toBe(true);
    },
  );
});

describe('a box that stays in the window', () => {
  it('is shown with each of the sections that take turns in it', async () => {
    const picture = await capturing.picture('/scrolled.html?by=stage', { full_page: true });
    expect(picture.height).toBe(12 * 800);
    expect(colours(picture, 800, 400)).toEqual(Array.from({ length: 12 }, (_, i) => (i % 2 ? GREEN : BLUE)));
  });
});
