import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { Verdict } from '@app/capture';
import { Capturing } from '../../../../../test/support/capturing.js';
import { canProvideManuals, openManuals } from '../../../../../test/support/manuals.js';

const PAGE = { kind: 'page', evidence: [] };
/** Pages of each manual. */
const SAMPLE = 25;
/** A page of the site that never loads. */
const ENDLESS = ['loop.html'];

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

async function verdictOn(page: string | null, html?: string): Promise<Verdict | null> {
  return (await capturing.capture(page, { ...LOADED, html, timeout_ms: 20_000 })).facts.verdict;
}

/** Some pages of the fixture site are never ready, and some never load. */
const LOADED = { wait_until: 'load', on_timeout: 'capture' } as const;

/** Nothing but the colour that it was to show. */
const COLOURED = 'all-green.html';

describe('a page of the fixture site', () => {
  const names = readdirSync('test/site').filter((name) => name.endsWith('.html') && !ENDLESS.includes(name));
  it.each(names)('is a page, or blank if its picture has one colour: %s', async (name) => {
    const { bytes, facts } = await capturing.capture(`/${name}`, LOADED);
    const { channels } = await sharp(bytes).stats();
    const isUniform = channels.every(({ min, max }) => min === max);
    expect(facts.verdict?.kind).toBe(isUniform && name !== COLOURED ? 'blank' : 'page');
  });

  it.each(readdirSync('bench/pages').filter((name) => name.endsWith('.html')))(
    'is a page: bench/pages/%s',
    async (name) => {
      expect(await verdictOn(null, await readFile(`bench/pages/${name}`, 'utf8'))).toEqual(PAGE);
    },
  );
});

// Without them, fewer pages are held against the signatures; Jest counts the test as skipped.
(canProvideManuals() ? describe : describe.skip)('a manual', () => {
  it(`is a page, on each of ${2 * SAMPLE} pages`, async () => {
    const manuals = await openManuals();
    try {
      const pages = manuals.pages(SAMPLE);
      expect(pages).toHaveLength(2 * SAMPLE);
      const misjudged: unknown[] = [];
      for (const page of pages) {
        const verdict = await verdictOn(page);
        if (verdict?.kind !== 'page') misjudged.push([page, verdict]);
      }
      expect(misjudged).toEqual([]);
    } finally {
      manuals.close();
    }
  }, 300_000);
});
