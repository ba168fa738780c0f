import { describe, expect, it } from '@jest/globals';
import { parseSelector, stepSelectorFault } from './selector.js';

describe(parseSelector.name, () => {
  it.each([
    ['#a > b, c', [[{ kind: 'css', value: '#a > b, c', reach: 'inside' }]]],
    ['text/Sign in', [[{ kind: 'text', value: 'Sign in', reach: 'inside' }]]],
    ['xpath///a[@x="1"]', [[{ kind: 'xpath', value: '//a[@x="1"]', reach: 'inside' }]]],
    ['pierce/#a', [[{ kind: 'css', value: '#a', reach: 'deep' }]]],
    ['aria/Sign in[role="button"]', [[{ kind: 'aria', value: 'Sign in', role: 'button', reach: 'inside' }]]],
    ['aria/[name="A, b"]', [[{ kind: 'aria', value: 'A, b', reach: 'inside' }]]],
    [
      'my-a >>> b >>>> c',
      [
        [
          { kind: 'css', value: 'my-a', reach: 'inside' },
          { kind: 'css', value: 'b', reach: 'deep' },
          { kind: 'css', value: 'c', reach: 'root' },
        ],
      ],
    ],
    [
      'div::-p-text(a (b), c) > i',
      [
        [
          { kind: 'css', value: 'div', reach: 'inside' },
          { kind: 'text', value: 'a (b), c', reach: 'inside' },
          { kind: 'css', value: '> i', reach: 'inside' },
        ],
      ],
    ],
    [
      '::-p-xpath("//a"), b',
      [[{ kind: 'xpath', value: '//a', reach: 'inside' }], [{ kind: 'css', value: 'b', reach: 'inside' }]],
    ],
  ])('parses %s', (text, parsed) => {
    expect(parseSelector(text)).toEqual(parsed);
  });
});

describe(stepSelectorFault.name, () => {
  it.each([
    'a[href',
    '::-p-text(a',
    '::-p-text()',
    'text/',
    'a >>>',
    '>>> ',
    '',
    'a::before',
    ', a',
    'aria/',
  ])('refuses %s', (text) => {
    expect(stepSelectorFault(text)).toMatch(/^must be a CSS selector/);
  });

  it.each(['a', 'text/a', '>>> a', 'a >>> b', 'aria/[role="button"]'])('accepts %s', (text) => {
    expect(stepSelectorFault(text)).toBeUndefined();
  });
});
