import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Lexer, type Token } from 'marked';
import { Capturing } from '../../../../test/support/capturing.js';
import { canProvideManuals, openManuals, type Manuals } from '../../../../test/support/manuals.js';
import type { CaptureOptions } from '../request/capture-options.js';

/** Pages that are read, of those of each manual from which they are chosen. */
const SAMPLE = 6;
const CANDIDATES = 25;
/** The element with the content, in the Debian handbook and in the manual of PostgreSQL. */
const CONTENT =
  'body > :is(.section, .chapter, .preface, .appendix, .sect1, .refentry, .part, .reference, .legalnotice, .index, .bibliography)';

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The share of the words of one text that are in another one, as often. */
function shareIn(words: readonly string[], others: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of others) left.set(word, (left.get(word) ?? 0) + 1);
  const found = words.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  });
  return found.length / Math.max(1, words.length);
}

/** What a parser of Markdown finds in it. */
function parse(markdown: string) {
  const [texts, codes, links]: [string[], string[], string[]] = [[], [], []];
  let tables = 0;
  const visit = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.type === 'code') codes.push(token.text as string);
      if (token.type === 'link' || token.type === 'image') links.push(token.href as string);
      if (token.type === 'table') {
        tables += 1;
        const { header, rows } = token as { header: { tokens: Token[] }[]; rows: { tokens: Token[] }[][] };
        for (const cell of [header, ...rows].flat()) visit([...cell.tokens, SPACE]);
      } else if (token.type === 'list') visit((token as { items: Token[] }).items);
      else if ('tokens' in token && token.tokens) visit(token.tokens);
      else if ('text' in token) texts.push(token.text as string);
      if (/^(paragraph|heading|list_item|code|br|html)$/.test(token.type)) texts.push(' ');
    }
  };
  visit(new Lexer({ gfm: true }).lex(markdown));
  return { words: wordsOf(texts.join('')), codes, links, tables };
}

const SPACE = { type: 'text', raw: ' ', text: ' ' } satisfies Token;

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

async function read(page: string, options: Partial<CaptureOptions>): Promise<string> {
  const { bytes } = await capturing.capture(page, { block_resource_types: ['image'], ...options });
  return Buffer.from(bytes).toString();
}

const countOf = (html: string, part: RegExp): number => html.match(part)?.length ?? 0;

/** The pages with the most tables and code blocks, but not the longest ones. */
async function choosePages(manuals: Manuals): Promise<{ url: string; codes: number; tables: number }[]> {
  const pages = [];
  for (const url of manuals.pages(CANDIDATES)) {
    const html = await (await fetch(url)).text();
    // In a cell, code is no block of its own.
    const codes = countOf(html.replace(/<td.*?<\/td>/gs, ''), /<pre/g);
    const tables = countOf(html, /<thead/g);
    if (html.length < 150_000)
      pages.push({ url, codes, tables, rank: Math.min(codes, 5) + 10 * Math.min(tables, 2) });
  }
  return pages.sort((a, b) => b.rank - a.rank).slice(0, SAMPLE);
}

// Jest counts the test as skipped where nothing provides the manuals.
(canProvideManuals() ? describe : describe.skip)('the main content of a manual', () => {
  it(`has all words, code blocks and tables of its content element and no others, on ${SAMPLE} pages`, async () => {
    const manuals = await openManuals();
    try {
      const pages = await choosePages(manuals);
      expect(pages.reduce((sum, { codes, tables }) => sum + Math.min(codes, tables), 0)).toBeGreaterThan(0);
      for (const { url, codes, tables } of pages) {
        const expected = await read(url, { format: 'text', selector: CONTENT });
        const text = wordsOf(await read(url, { format: 'text' }));
        const markdown = parse(await read(url, { format: 'markdown' }));
        expect(shareIn(wordsOf(expected), text)).toBeGreaterThan(0.98);
        expect(shareIn(text, wordsOf(expected))).toBeGreaterThan(0.98);
        expect(shareIn(wordsOf(expected), markdown.words)).toBeGreaterThan(0.98);
        // Markdown also has the descriptions of pictures.
        expect(shareIn(markdown.words, wordsOf(expected))).toBeGreaterThan(0.9);
        expect([markdown.codes.length, markdown.tables]).toEqual([codes, tables]);
        for (const code of markdown.codes) expect(expected).toContain(code.trimEnd());
        expect(markdown.links.length).toBeGreaterThan(0);
        expect(markdown.links.filter((link) => !/^(https?|mailto):/.test(link))).toEqual([]);
      }
    } finally {
      manuals.close();
    }
  }, 120_000);
});
