import { describe, expect, it } from '@jest/globals';
import { compareTexts, type TextChange } from './text-comparison.js';

function compare(before: string, now: string): Promise<TextChange> {
  return compareTexts(
    { name: 'before', bytes: Buffer.from(before) },
    { name: 'now', bytes: Buffer.from(now) },
  );
}

const words = (count: number, prefix: string): string =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`).join(' ');

describe(compareTexts.name, () => {
  it('finds no change in equal words, whatever the white space', async () => {
    expect(await compare('one  two\nthree', 'one two three\n')).toMatchObject({ ratio: 0, diff: null });
    expect(await compare('', '')).toMatchObject({ ratio: 0, diff: null });
  });

  it('counts the words that were removed and added', async () => {
    const before = `first line\n${words(98, 'w')}`;
    const { ratio, diff } = await compare(before, before.replace('w50 ', 'other '));
    expect(ratio).toBe(0.01);
    expect(diff).toContain('--- before\n+++ now\n@@ -1,2 +1,2 @@\n first line\n-w0 ');
    expect(await compare('a b c', 'a c')).toMatchObject({ ratio: 0.2 });
    expect(await compare('a b', 'c d')).toMatchObject({ ratio: 1 });
    expect(await compare('', 'a')).toMatchObject({ ratio: 1, diff: expect.stringContaining('+a') });
  });

  it('shows lines with those around them', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    const { diff } = await compare(lines.join('\n'), lines.with(10, 'another').join('\n'));
    expect(diff?.split('\n').slice(2)).toEqual(
      [
        '@@ -8,7 +8,7 @@',
        ' line 7',
        ' line 8',
        ' line 9',
        '-line 10',
        '+another',
        ' line 11',
        ' line 12',
        ' line 13',
        '\\ No newline at end of file',
        '',
      ].filter((line) => !line.startsWith('\\')),
    );
  });

  it('answers in bounded time for long texts without anything in common', async () => {
    const [before, now] = [words(20_000, 'a'), words(20_000, 'b')].map((text) => text.replaceAll(' ', '\n'));
    const { ratio, diff } = await compare(`same\n${before}\nend`, `same\n${now}\nend`);
    expect(ratio).toBeGreaterThan(0.99);
    expect(diff).toContain('@@ -2,20000 +2,20000 @@\n-a0\n');
  });

  it('compares texts of many lines up to a bound and shows the rest as one line', async () => {
    const lines = '\n'.repeat(15_000_000);
    const { diff } = await compare(`first${lines}x`, `first${lines}y`);
    expect(diff?.match(/^[-+]\[14900002 more bytes, SHA-256 [0-9a-f]{64}\]$/gm)).toHaveLength(2);
    expect(diff?.length).toBeLessThan(1_000);
  });

  it('compares texts in any script by characters, and never splits one', async () => {
    const [long, tail] = ['字 '.repeat(999_999) + '字', '😀 same'];
    expect(await compare(`${long}${tail}`, `${long}${tail}`)).toMatchObject({ ratio: 0, diff: null });
    const { ratio, diff } = await compare(`${long}${tail} x`, `${long}${tail} y`);
    expect(ratio).toBeGreaterThan(0);
    expect(diff?.match(/^[-+]\[11 more bytes, SHA-256 [0-9a-f]{64}\]$/gm)).toHaveLength(2);
  });

  it('notices a change behind the part that is split into words', async () => {
    const long = 'a '.repeat(1_000_100);
    expect((await compare(`${long}x`, `${long}y`)).ratio).toBeGreaterThan(0);
    expect(await compare(`${long}x`, `${long}x`)).toMatchObject({ ratio: 0, diff: null });
  });
});
