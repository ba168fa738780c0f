import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PageMetadata } from '@app/capture';
import { Arena } from '../support/arena.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

const MAX_BYTES = 640_000;

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena.close());

async function metadataOf(how: string): Promise<PageMetadata> {
  const page = `metadata.html?how=${how}`;
  const { end, detail, facts } = await arena.visit(page, { metadata: true, timeout_ms: 40_000 });
  expect([end, detail]).toEqual(['file', '']);
  if (!facts?.page) throw new Error('There is no metadata.');
  expect(Buffer.byteLength(JSON.stringify(facts.page))).toBeLessThan(MAX_BYTES);
  await arena.expectClean();
  return facts.page;
}

describe('the metadata of a page with', () => {
  it('100,000 links and 10,000 of everything else is cut', async () => {
    const page = await metadataOf('many');
    expect(page.links).toHaveLength(1_000);
    expect(page.links[999]?.text).toBe('999');
    expect(page.json_ld).toHaveLength(1_000);
    expect(page.icons.length).toBeGreaterThan(100);
    expect(page.open_graph).toMatchObject({ a0: '0' });
    expect(page.truncated).toEqual(
      expect.arrayContaining(['description', 'open_graph', 'icons', 'feeds', 'json_ld', 'links']),
    );
  });

  it('texts of up to 20 MB is cut', async () => {
    const page = await metadataOf('long');
    const cut = `${'x'.repeat(1_999)}…`;
    expect(page).toMatchObject({
      title: cut,
      description: cut,
      lang: cut,
      canonical: null,
      json_ld: [{ name: 'whole' }],
      headings: [{ level: 1, text: cut }],
      links: [{ text: cut, rel: cut }],
      images: [{ alt: cut, width: 1 }],
    });
    const fields = [
      'title',
      'description',
      'lang',
      'canonical',
      'open_graph',
      'json_ld',
      'headings',
      'links',
      'images',
    ];
    expect(page.truncated).toEqual(expect.arrayContaining([...fields, 'fonts']));
  });

  it('as much as may be kept is kept', async () => {
    const page = await metadataOf('full');
    expect(page.headings.length).toBe(1_000);
    expect(Buffer.byteLength(JSON.stringify(page))).toBeGreaterThan(200_000);
    const cut = ['open_graph', 'json_ld', 'headings', 'links', 'images'];
    expect(page.truncated).toEqual(expect.arrayContaining(cut));
  });

  it('many levels and fonts is cut, and pollutes no prototype', async () => {
    const page = await metadataOf('deep');
    expect(page.headings).toEqual([{ level: 1, text: 'Not deep' }]);
    expect(page.json_ld).toHaveLength(2);
    expect(page.fonts).toContain('serif');
    expect(JSON.stringify(page.json_ld)).not.toContain('__proto__');
    expect(page.truncated).toEqual(expect.arrayContaining(['json_ld', 'headings', 'links']));
  });

  it('odd characters, clobbered properties and changed prototypes can be stored', async () => {
    const page = await metadataOf('odd');
    const text = 'a b\ufffdc [31m\u202e😀';
    expect(page).toMatchObject({
      title: expect.stringMatching(/^a b\ufffdc \[31m\u202e😀$/),
      lang: text,
      description: text,
      open_graph: { title: text },
      json_ld: [{ [text]: text }],
      headings: [{ level: 1, text: text + text }],
      icons: [],
      truncated: [],
    });
    expect(page.links).toEqual([expect.objectContaining({ text, internal: true })]);
    expect(JSON.stringify(page)).not.toMatch(/\\u0000|\\ud800/);
  });
});
