import { describe, expect, it } from '@jest/globals';
import { PlainText } from './plain-text.js';
import type { Token } from './token.js';

type Content = string | readonly Token[];

const line = (text: string, whiteSpace = 'collapse', transform = 'none'): Token[] => [
  ['text', text, whiteSpace, transform],
];
const tokensOf = (content: Content): readonly Token[] =>
  typeof content === 'string' ? line(content) : content;
const box = (display: string, name: string, ...contents: readonly Content[]): Token[] => [
  ['start', display, name],
  ...contents.flatMap(tokensOf),
  ['end', display, name],
];
const div = (...contents: readonly Content[]): Token[] => box('block', 'div', ...contents);
const p = (...contents: readonly Content[]): Token[] => box('block', 'p', ...contents);
const br = box('inline', 'br');
const row = (...cells: readonly Content[]): Token[] =>
  box('table-row', 'tr', ...cells.map((cell) => box('table-cell', 'td', cell)));

function textOf(...contents: readonly Content[]): string {
  const text = new PlainText();
  for (const token of contents.flatMap(tokensOf)) text.add(token);
  expect(text.length).toBe(text.toString().length);
  return text.toString();
}

describe(PlainText.name, () => {
  it.each([
    ['nothing', [], ''],
    ['white space alone', [' \n ', div('\t')], ''],
    ['white space between words', [' a\n  b ', ' c'], 'a b c'],
    ['a no-break space', ['a \u00a0 b'], 'a \u00a0 b'],
    ['blocks', [div('a'), div(' b '), 'c'], 'a\nb\nc'],
    ['empty blocks', [div('a'), div(), div(div()), div('b')], 'a\nb'],
    ['paragraphs', [p('a'), p('b'), div('c')], 'a\n\nb\n\nc'],
    ['a break at the end of a block', [div('a', br), div('b')], 'a\nb'],
    ['two breaks at the end of a block', [div('a', br, br), div('b')], 'a\n\nb'],
    ['a break between blocks', [div('a'), br, div('b')], 'a\n\nb'],
    ['spaces around a break', ['a ', br, ' b'], 'a\nb'],
    ['preserved white space', [line('  a\n\n\tb  ', 'preserve'), 'c'], '  a\n\n\tb  c'],
    ['preserved breaks', [line(' a  b \n c', 'preserve-breaks')], 'a b\nc'],
    ['capitals', [line('straße', 'collapse', 'uppercase')], 'STRASSE'],
    ['small letters', [line('ABC', 'collapse', 'lowercase')], 'abc'],
    ['initials', [line("it's écru-red", 'collapse', 'capitalize')], "It's Écru-Red"],
    ['another transform', [line('a', 'collapse', 'full-width')], 'a'],
  ] as const)('lays out %s', (_, contents, expected) => {
    expect(textOf(...contents)).toBe(expected);
  });

  it('keeps very many lines as the page has them', () => {
    const layout = new PlainText();
    const lines = Array.from({ length: 25_000 }, (_, i) => `line ${i}`).join('\n\n');
    layout.add(['text', lines, 'preserve', 'none']);
    expect(layout.toString()).toBe(lines);
    expect(layout.length).toBe(lines.length);
  });

  it('puts a tab between cells and each row on a line', () => {
    expect(textOf('before', row('a', 'b'), row('c', 'd'), 'after')).toBe('before\na\tb\nc\td\nafter');
  });

  it('keeps columns under each other when cells are empty, and drops empty rows', () => {
    expect(textOf(row('a', '', 'c'), row('', '', ''), row('', 'e', ''))).toBe('a\t\tc\n\te');
  });

  it('begins the boxes of a cell beside the tab', () => {
    expect(textOf(row(p('a'), div(br, p('b'), p('c'))), row(p('d'), 'e'))).toBe('a\tb\n\nc\nd\te');
  });

  it('lays out a table in a cell', () => {
    expect(textOf(row('a', [...row('b', 'c'), ...row('d', 'e')]), row('f', 'g'))).toBe('a\tb\tc\nd\te\nf\tg');
  });
});
