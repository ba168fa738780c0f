import { describe, expect, it } from '@jest/globals';
import { matchesGlob, readGlob } from './glob.js';

describe(matchesGlob.name, () => {
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
    expect(matchesGlob(readGlob(pattern), text)).toBe(true);
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
    expect(matchesGlob(readGlob(pattern), text)).toBe(false);
  });

  it('does not try again what a pattern of many stars makes others try', () => {
    const glob = readGlob(`${'*a'.repeat(500)}*b`);
    expect(matchesGlob(glob, 'a'.repeat(100_000))).toBe(false);
  });
});
