import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { matchesAny, readGlob } from './glob.js';

const matchesGlob = (pattern: string, text: string): boolean => matchesAny([readGlob(pattern)], text);

describe(matchesAny.name, () => {
  it.each([
    ['*', ''],
    ['*', 'https://example.com/'],
    ['https://example.com/', 'https://example.com/'],
    ['*/ads/*', 'https://example.com/ads/x.js'],
    ['*.js', 'https://example.com/x.js'],
    ['*://*.example.com/*', 'https://cdn.example.com/'],
    ['https://example.com/a?b=(1)*', 'https://example.com/a?b=(1)&c'],
    ['a*b*c', 'abbbcc'],
    ['**a**', 'bab'],
    ['ab*ba', 'abba'],
  ])('takes %s for %s', (pattern, text) => {
    expect(matchesGlob(pattern, text)).toBe(true);
  });

  it.each([
    ['https://example.com', 'https://example.com/'],
    ['example.com', 'https://example.com/'],
    ['*.js', 'https://example.com/x.js?v=1'],
    ['*.e?ample.com/*', 'https://x.example.com/'],
    ['*://*.example.com/*', 'https://example.com/'],
    ['a*b*c', 'acb'],
    // The end may not be counted twice.
    ['ab*ba', 'aba'],
    ['*a*a', 'a'],
    ['*/ADS/*', 'https://example.com/ads/x'],
  ])('does not take %s for %s', (pattern, text) => {
    expect(matchesGlob(pattern, text)).toBe(false);
  });

  it('searches the first 4,096 characters of an address; begin and end count whatever its length', () => {
    const address = `https://example.com/${'x'.repeat(4_096)}/ads/a.js`;
    expect(matchesGlob('*/ads/*', address)).toBe(false);
    expect(matchesGlob('*x/ads/a.js', address)).toBe(true);
    expect(matchesGlob('https://*example*.js', address)).toBe(true);
    expect(matchesGlob(address, address)).toBe(true);
    expect(matchesGlob(address.slice(0, 4_096), address)).toBe(false);
  });

  it('finds what the built-in search finds, wherever it is', () => {
    const words = ['a', 'b', 'ab', 'ba', 'aab', 'aba', 'abaab', 'babab', 'aabaaab', fibonacci(13)];
    const texts = [fibonacci(60), 'ab'.repeat(20), `${'a'.repeat(30)}b${'a'.repeat(30)}`, 'abbabaabbaababba'];
    for (const text of texts) {
      for (const word of words) {
        const wanted = new RegExp(`^.*${word}.*$`).test(text);
        expect([text, word, matchesGlob(`*${word}*`, text)]).toEqual([text, word, wanted]);
        const twice = new RegExp(`^a.*?${word}.*${word}.*a$`).test(text);
        expect([text, word, matchesGlob(`a*${word}*${word}*a`, text)]).toEqual([text, word, twice]);
      }
    }
  });

  const a = (count: number): string => 'a'.repeat(count);
  it.each([
    ['a needle that nearly is everywhere', `*${a(1_000)}b${a(1_045)}*`, a(1_900_000)],
    ['one that ends otherwise', `*${a(2_045)}b*`, a(1_900_000)],
    ['one that begins otherwise', `*b${a(2_045)}*`, a(1_900_000)],
    ['one of periods', `*${'ab'.repeat(1_022)}b*`, 'ab'.repeat(950_000)],
    ['one of Fibonacci', `*${fibonacci(2_045)}c*`, fibonacci(1_900_000)],
    ['many stars', '*a'.repeat(1_024), `${a(1_900_000)}b`],
    ['nothing but stars', '*'.repeat(2_048), a(1_900_000)],
    ['many needles', `${'*ab'.repeat(680)}*c`, 'ab'.repeat(950_000)],
  ])('reads a URL once, with %s', (_, pattern, address) => {
    const globs = Array.from({ length: 100 }, () => readGlob(pattern));
    const judge = (): void => {
      for (let request = 0; request < 100; request += 1) matchesAny(globs, address);
    };
    // Each request costs a millisecond or two; an address gone over again and again costs 100 times as much.
    expect(() => {
      runInNewContext('judge()', { judge }, { timeout: 10_000 });
    }).not.toThrow();
  });
});

/** The word whose prefixes are their own borders as often as can be. */
function fibonacci(length: number): string {
  let [last, word] = ['a', 'ab'];
  while (word.length < length) [last, word] = [word, word + last];
  return word.slice(0, length);
}
