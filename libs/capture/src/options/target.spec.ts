import { describe, expect, it } from '@jest/globals';
import { canonicalUrl } from './target.js';

describe(canonicalUrl.name, () => {
  it.each([
    ['HTTP://EXAMPLE.com', 'http://example.com/'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['http://example.com:80/%7Ea/../b?q#f', 'http://example.com/b?q#f'],
    ['http:\\\\example.com\\x', 'http://example.com/x'],
  ])('writes %s as a browser does', (text, expected) => {
    expect(canonicalUrl(text)).toBe(expected);
  });
});
