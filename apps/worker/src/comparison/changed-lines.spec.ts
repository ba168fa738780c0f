import { describe, expect, it } from '@jest/globals';
import { compareTexts } from './text-comparison.js';

const text = (name: string, ...lines: readonly string[]) => ({ name, bytes: Buffer.from(lines.join('\n')) });
const compare = (before: readonly string[], now: readonly string[], twin?: readonly string[]) =>
  compareTexts(text('before', ...before), text('now', ...now), twin && text('twin', ...twin));

describe('the lines of a text that changed', () => {
  it.each([
    [['Shop', 'Price: €149', 'Buy'], ['Shop', 'Price: €139', 'Buy'], 'Price: €149 → €139'],
    [['a', 'All systems normal'], ['a', 'All systems down today'], 'All systems normal → down today'],
    [['a', 'c'], ['a', 'New arrivals', 'c'], '+ New arrivals'],
    [['a', 'Sold out', 'c'], ['a', 'c'], '− Sold out'],
    [['x 1', 'm', 'n', 'y 1'], ['x 2', 'm', 'n', 'y 2'], 'x 1 → 2 (and 1 more)'],
  ])('have a summary of a few words: %j to %j', async (before, now, summary) => {
    expect(await compare(before, now)).toMatchObject({ summary });
  });

  it('have the words that each of both lost and got', async () => {
    const { lines } = await compare(['Price: €149 incl. VAT'], ['Price: €139 incl. VAT']);
    expect(lines).toEqual([
      { before: 'Price: €149 incl. VAT', after: 'Price: €139 incl. VAT', removed: '€149', added: '€139' },
    ]);
  });

  it('are cut, and at most twenty', async () => {
    const many = (word: string) => Array.from({ length: 30 }, (_, i) => `${i} ${word.repeat(400)}`);
    const { lines } = await compare(many('a'), many('b'));
    expect(lines).toHaveLength(20);
    expect(lines[0]?.after).toHaveLength(300);
  });
});

describe('a text that is compared with one of the same moment', () => {
  it('does not count lines in which the two differ', async () => {
    const found = await compare(
      ['10:00', 'Price 1', 'end'],
      ['10:07', 'Price 1', 'end'],
      ['10:06', 'Price 1', 'end'],
    );
    expect(found).toEqual({ ratio: 0, diff: null, lines: [], summary: null });
  });

  it('counts a change beside such a line', async () => {
    const found = await compare(
      ['10:00', 'Price 1', 'end'],
      ['10:07', 'Price 2', 'end'],
      ['10:06', 'Price 2', 'end'],
    );
    expect(found.summary).toBe('Price 1 → 2');
    expect(found.lines).toHaveLength(1);
  });

  it('does not count a line that came and went', async () => {
    const found = await compare(['a', 'end'], ['a', 'end'], ['a', 'Please wait', 'end']);
    expect(found.ratio).toBe(0);
    const reverse = await compare(['a', 'end'], ['a', 'Please wait', 'end'], ['a', 'end']);
    expect(reverse.ratio).toBe(0);
  });
});
