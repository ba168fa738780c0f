import { describe, expect, it } from '@jest/globals';
import { isWebAddress } from './is-web-address.js';

describe(isWebAddress.name, () => {
  it.each(['https://a.test/', 'http://a.test', 'HTTPS://a.test/?q=javascript:1'])('accepts %s', (url) => {
    expect(isWebAddress(url)).toBe(true);
  });

  it.each([
    ...['javascript:alert(1)', 'javascript:alert(1)//https://a.test/', 'javascript:`\nhttps://a.test/`'],
    ...[
      ' https://a.test/',
      'data:text/html,https://a.test/',
      'httpss://a.test/',
      'https:a.test',
      '//a.test/',
      '',
    ],
  ])('refuses %j', (url) => {
    expect(isWebAddress(url)).toBe(false);
  });
});
