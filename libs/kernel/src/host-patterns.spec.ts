import { describe, expect, it } from '@jest/globals';
import { commonPatterns, matchesHost } from './host-patterns.js';

describe(matchesHost, () => {
  it.each([
    ['example.com', true],
    ['example.com.', true],
    ['a.shop.example', true],
    ['shop.example', false],
    ['badshop.example', false],
    ['example.com.evil.example', false],
  ])('finds %s among the patterns: %s', (host, isFound) => {
    expect(matchesHost(['example.com', '*.shop.example'], host)).toBe(isFound);
  });
});

describe(commonPatterns, () => {
  it.each([
    [['example.com'], ['example.com', 'other.example'], ['example.com']],
    [['*.example.com'], ['a.example.com', 'example.com'], ['a.example.com']],
    [['*.a.example.com'], ['*.example.com'], ['*.a.example.com']],
    [['*.example.com'], ['*.badexample.com'], []],
    [['example.com'], ['*.example.com'], []],
  ])('are those of %j that %j allows: %j', (some, others, common) => {
    expect(commonPatterns(some, others)).toEqual(common);
    expect(commonPatterns(others, some)).toEqual(common);
  });
});
