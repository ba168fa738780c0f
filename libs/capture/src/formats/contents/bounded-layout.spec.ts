import { describe, expect, it } from '@jest/globals';
import { BoundedLayout } from './bounded-layout.js';
import { PlainText } from './plain-text.js';
import type { Token } from './token.js';

const layout = (maxBytes = 50e6): BoundedLayout => new BoundedLayout(new PlainText(), maxBytes);
const text = (words: string, whiteSpace: string): Token => ['text', words, whiteSpace, 'none'];
const lines = '\n'.repeat(100_000);

describe(BoundedLayout, () => {
  it('refuses more lines than are read, and says what to do', () => {
    const bounded = layout();
    for (let i = 0; i < 19; i += 1) bounded.add([text(lines, 'preserve')]);
    expect(() => bounded.add([text(lines, 'preserve')])).toThrow(
      expect.objectContaining({
        code: 'resource_limit',
        message: expect.stringContaining('2000000 elements and lines. Name a part of the page in selector.'),
      }),
    );
  });

  it('refuses more elements than are read', () => {
    const bounded = layout();
    const tokens = Array.from({ length: 100_000 }, (): Token => ['start', 'block', 'div']);
    for (let i = 0; i < 20; i += 1) bounded.add(tokens);
    expect(() => bounded.add([['end', 'block', 'div']])).toThrow('elements and lines');
  });

  it('does not count line breaks that are white space', () => {
    const bounded = layout();
    for (let i = 0; i < 30; i += 1) bounded.add([text(lines, 'collapse')]);
  });

  it('refuses more than the file may have', () => {
    expect(() => layout(10).add([text('eleven char', 'collapse')])).toThrow('more than 10 bytes');
  });
});
