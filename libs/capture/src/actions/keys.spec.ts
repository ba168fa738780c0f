import { describe, expect, it } from '@jest/globals';
import { keyFault, parseKey } from './keys.js';

describe(parseKey.name, () => {
  it.each([
    ['Enter', { modifiers: [], key: 'Enter' }],
    ['a', { modifiers: [], key: 'a' }],
    ['ü', { modifiers: [], key: 'ü' }],
    ['+', { modifiers: [], key: '+' }],
    ['Space', { modifiers: [], key: ' ' }],
    ['Control+A', { modifiers: ['Control'], key: 'A' }],
    ['Control++', { modifiers: ['Control'], key: '+' }],
    ['Control+Shift+ArrowLeft', { modifiers: ['Control', 'Shift'], key: 'ArrowLeft' }],
    ['Shift', { modifiers: [], key: 'Shift' }],
  ])('parses %s', (text, press) => {
    expect(parseKey(text)).toEqual(press);
  });

  it.each(['enter', 'Ctrl+A', 'ab', '', 'Control+', 'Control+Control+A', '\n'])('refuses %s', (text) => {
    expect(keyFault(text)).toMatch(/^must be a character or a key/);
  });
});
