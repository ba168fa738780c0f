import { describe, expect, it } from '@jest/globals';
import { boundText, MAX_TEXT } from './text.js';

const max = MAX_TEXT.message;
const x = (count: number): string => 'x'.repeat(count);

describe(boundText.name, () => {
  it.each([
    ['a text that fits', x(max), x(max)],
    ['an empty text', '', ''],
    ['a text that is one unit too long', x(max + 1), `${x(max - 1)}…`],
    ['60 MB', x(60_000_000), `${x(max - 1)}…`],
    ['a cut through a surrogate pair', `${x(max - 2)}😀${x(9)}`, `${x(max - 2)}…`],
    ['a cut after a surrogate pair', `${x(max - 3)}😀${x(9)}`, `${x(max - 3)}😀…`],
    ['a surrogate pair at the end', `${x(max - 2)}😀`, `${x(max - 2)}😀`],
    ['lone surrogates', 'a\ud800b\udc00c\ud83d', 'a\ufffdb\ufffdc\ufffd'],
    ['control characters', 'a\0b\nc\u001b[31md\u0085e\x7ff', 'a b c [31md e f'],
    ['text in several scripts', 'Bücher 世界 😀', 'Bücher 世界 😀'],
  ])('bounds %s', (_, text, bounded) => {
    expect(boundText('message', text)).toBe(bounded);
  });

  it('never exceeds the limit of the kind', () => {
    for (const text of [x(9_999), '世'.repeat(9_999), '😀'.repeat(9_999), '\ud800'.repeat(9_999)]) {
      for (const kind of ['url', 'title', 'message'] as const) {
        const bounded = boundText(kind, text);
        expect(bounded.length).toBeLessThanOrEqual(MAX_TEXT[kind]);
        expect(bounded.isWellFormed()).toBe(true);
      }
    }
  });
});
