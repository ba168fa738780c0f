import { describe, expect, it } from '@jest/globals';
import { isWebAddress, withScheme } from './web-address.js';

describe('an address without its scheme', () => {
  it.each([
    ['example.com', 'https://example.com'],
    [' example.com/about?a=b#c ', 'https://example.com/about?a=b#c'],
    ['www.example.co.uk:8443', 'https://www.example.co.uk:8443'],
    ['bücher.example', 'https://bücher.example'],
    ['xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
    ['localhost:3000/a', 'http://localhost:3000/a'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['[::1]:8080', 'http://[::1]:8080'],
  ])('%s becomes %s', (text, url) => {
    expect(withScheme(text)).toBe(url);
  });

  it.each([
    'https://example.com',
    'http://example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'mailto:me@example.com',
    'me@example.com',
    'example',
    'example.com and more',
    '1.2',
    '',
    ' ',
  ])('%j stays as it is', (text) => {
    expect(withScheme(text)).toBe(text);
  });
});

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
