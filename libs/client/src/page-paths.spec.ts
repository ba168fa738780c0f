import { describe, expect, it } from '@jest/globals';
import { PagePaths } from './page-paths.js';

describe(PagePaths, () => {
  it.each([
    ['https://a.test/', 'index'],
    ['https://a.test/guide/install.html', 'guide/install'],
    ['https://a.test/guide/', 'guide/index'],
    ['https://a.test/list?page=2&sort=up', 'list_page=2&sort=up'],
    ['https://a.test/a%2F..%2Fb/%2e%2e%2fetc', 'a-..-b/etc'],
    ['https://a.test/%E6%97%A5%E6%9C%AC', '日本'],
    ['https://a.test/CON', '_CON'],
    ['https://a.test/%00%0a', 'page'],
  ])('makes %s %s', (url, expected) => {
    expect(new PagePaths(false).pathOf({ url, row: 1 })).toBe(expected);
  });

  it('tells pages apart, also by hosts', () => {
    const paths = new PagePaths(true);
    expect(paths.pathOf({ url: 'https://a.test/X', row: 1 })).toBe('a.test/X');
    expect(paths.pathOf({ url: 'https://a.test/x.html', row: 2 })).toBe('a.test/x-2');
    expect(paths.pathOf({ url: 'https://b.test/x', row: 3 })).toBe('b.test/x');
    expect(paths.pathOf({ url: 'https://b.test/x-5', row: 4 })).toBe('b.test/x-5');
    expect(paths.pathOf({ url: 'https://b.test/X', row: 5 })).toBe('b.test/X-5-5');
  });
});
