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

  it('is looked for again when the page has another one for a later output', async () => {
    const article = (subject: string): string =>
      `<h1>${subject}</h1>${`<p>Much is said about ${subject}, in sentences that are long enough for an article.</p>`.repeat(12)}`;
    const html = `<!doctype html><title>Two articles</title><nav><a href="/">Home</a></nav>
      <style>.narrow { display: none } @media (max-width: 600px) { .narrow { display: block } .wide { display: none } }</style>
      <main class="wide">${article('whales')}</main><main class="narrow">${article('ants')}</main>`;
    const { files } = await capturing.capture(null, {
      html,
      outputs: [
        { name: 'wide', format: 'text' },
        { name: 'narrow', format: 'text', viewport_width: 500 },
      ],
    });
    const texts = files.map(({ bytes }) => Buffer.from(bytes).toString());
    expect(texts).toEqual([expect.stringMatching(/^whales\n/), expect.stringMatching(/^ants\n/)]);
    expect(files.map(({ facts }) => facts.content)).toEqual(['main', 'main']);
  });
});
