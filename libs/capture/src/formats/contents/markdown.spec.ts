import { setTimeout as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Markdown } from './markdown.js';
import type { Token } from './token.js';

function write(tokens: readonly Token[]): string {
  const markdown = new Markdown();
  for (const token of tokens) markdown.add(token);
  return markdown.toString();
}
const text = (words: string, whiteSpace = 'collapse'): Token => ['text', words, whiteSpace, 'none'];
const block = (name: string, ...inside: readonly Token[]): Token[] => [
  ['start', 'block', name, {}],
  ...inside,
  ['end', 'block', name],
];

describe(Markdown, () => {
  it('keeps the number signs at the end of a heading', () => {
    expect(write(block('h2', text('C ##')))).toBe('## C \\##\n');
    expect(write(block('h1', text('#')))).toBe('# \\#\n');
    expect(write(block('h1', text('a # b')))).toBe('# a # b\n');
  });

  it('writes a heading of number signs as fast as any other', async () => {
    const signs = '#'.repeat(100_000);
    const many = Array.from({ length: 4 }, () => text(signs));
    expect(write(block('h1', ...many, text('a')))).toBe(`# ${signs.repeat(4)}a\n`);
    // Without a turn of the event loop, Jest would not notice that the time of the test is over.
    await turn();
  }, 5_000);

  it('writes a paragraph of very many pieces as several, in which its marks go on', () => {
    const pieces = Array.from({ length: 60 }, () => text('a\n'.repeat(1_000), 'preserve'));
    const paragraphs = write([
      ['start', 'block', 'p', {}],
      ['start', 'inline', 'b', {}],
      ...pieces,
      text('end'),
      ['end', 'inline', 'b'],
      ['end', 'block', 'p'],
    ]).split('\n\n');
    expect(paragraphs).toHaveLength(3);
    for (const paragraph of paragraphs) expect(/^\*\*a {2}\n[^*]*\*\*$/.test(paragraph.trim())).toBe(true);
    expect(paragraphs.join('').match(/a/g)).toHaveLength(60_000);
  });
});
