import { describe, expect, it } from '@jest/globals';
import { selectorFault, selectorsFault } from './selector-rule.js';

describe(selectorFault.name, () => {
  it.each([
    'div',
    '*',
    '#a > .b:not(.c)',
    'a[href^="https:" i], button:is(.x, .y)',
    'div:has(> p)',
    'tr:nth-child(2n + 1)',
    'my-element ~ ü',
    'svg|a',
  ])('takes %s', (selector) => {
    expect(selectorFault(selector)).toBeUndefined();
  });

  it.each([
    '',
    ' ',
    'div[',
    'div,',
    ',a',
    'a{b}',
    '> a',
    'a >',
    'a > > b',
    'a >>> b',
    'div:not(',
    ':nth-child(',
    '::before',
    'a::-p-text(x)',
    'a[b!=c]',
    ':contains(x)',
    'li:eq(2)',
    '@x',
  ])('refuses %j', (selector) => {
    expect(selectorFault(selector)).toBe('must be a valid CSS selector');
  });

  it('says which of several selectors is not valid', () => {
    expect(selectorsFault(['a', 'b > c'])).toBeUndefined();
    expect(selectorsFault(['a', 'b >', '('])).toBe(
      'must only contain valid CSS selectors; number 2 is not one',
    );
  });

  it('refuses more than 1,000 characters', () => {
    expect(selectorFault('a'.repeat(1_000))).toBeUndefined();
    expect(selectorFault('a'.repeat(1_001))).toBe('must be at most 1000 characters long');
  });
});
