import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../../test/support/capturing.js';
import type { CaptureOptions } from '../../request/capture-options.js';

/** What the pages say outside of their content. */
const NOISE = /noise|噪音/i;

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

async function textOf(page: string, options: Partial<CaptureOptions> = {}) {
  const { bytes, files } = await capturing.capture(page, { format: 'text', ...options });
  const lines = Buffer.from(bytes)
    .toString()
    .split('\n')
    .map((line) => line.trim());
  return { lines: lines.filter((line) => line !== ''), content: files[0].facts.content };
}

describe('the main content', () => {
  it.each(['article', 'crowded', 'product', 'thread', 'documentation', 'chinese', 'right-to-left'])(
    'is everything but the noise around it: %s',
    async (name) => {
      const main = await textOf(`/contents/${name}.html`);
      const full = await textOf(`/contents/${name}.html`, { content: 'full' });
      expect(full.lines.filter((line) => NOISE.test(line)).length).toBeGreaterThan(2);
      expect(main.lines).toEqual(
        full.lines.filter((line) => !NOISE.test(line)).map((line) => line.replace(/#$/, '')),
      );
      expect([main.content, full.content]).toEqual(['main', 'full']);
    },
  );

  it('of a page of teasers has all of them', async () => {
    const { lines } = await textOf('/contents/home.html');
    const full = await textOf('/contents/home.html', { content: 'full' });
    const teasers = full.lines.filter((line) => !/^(City|Harbour)/.test(line));
    expect(teasers).toHaveLength(12);
    expect(lines).toEqual(expect.arrayContaining(teasers));
  });
});
