import { describe, expect, it } from '@jest/globals';
import { normalise } from './normalise.js';
import { isGenerated, isRunaway, patternOf } from './pattern.js';
import { Scope } from './scope.js';
import { matchesWildcard } from './wildcard.js';

describe(normalise, () => {
  it.each([
    ['https://a.test/x#part', 'https://a.test/x'],
    ['https://A.test:443/%7euser/%c3%a4', 'https://a.test/~user/%C3%A4'],
    ['https://a.test/?b=2&a=1&b=1', 'https://a.test/?a=1&b=2&b=1'],
    ['https://a.test/?utm_source=x&gclid=1&id=5', 'https://a.test/?id=5'],
    ['https://a.test/?fbclid=1', 'https://a.test/'],
    ['https://a.test/list;jsessionid=0A1B?x=1', 'https://a.test/list?x=1'],
    ['https://a.test/(S(lit3py55t21z5v55vlm25s55))/page', 'https://a.test/page'],
    ['https://user:secret@a.test/', 'https://a.test/'],
    ['https://a.test/a/./b/../c', 'https://a.test/a/c'],
  ])('makes %s %s', (given, expected) => {
    expect(normalise(given)?.href).toBe(expected);
  });

  it.each([
    'mailto:a@b.test',
    'javascript:void 0',
    'data:text/html,x',
    'https://',
    `https://a.test/${'x'.repeat(2_100)}`,
  ])('takes %s for no page', (given) => {
    expect(normalise(given)).toBeNull();
  });

  it('leaves alone what it has made', () => {
    const once = normalise('https://a.test/%41%2f?z=%7e&a')?.href ?? '';
    expect(normalise(once)?.href).toBe(once);
  });
});

describe(matchesWildcard, () => {
  it.each([
    ['*/guide/*', 'https://a.test/guide/1', true],
    ['*/guide/*', 'https://a.test/guides/1', false],
    ['*?sort=*', 'https://a.test/?sort=up', true],
    ['*?sort=*', 'https://a.test/xsort=up', false],
    ['https://a.test/', 'https://a.test/', true],
    ['https://a.test/', 'https://a.test/x', false],
    ['*', '', true],
    ['', 'x', false],
    ['a*b*c', 'aXbYbZc', true],
    ['*.pdf', 'https://a.test/x.pdf', true],
  ])('%s against %s: %s', (pattern, text, expected) => {
    expect(matchesWildcard(pattern, text)).toBe(expected);
  });

  it('takes no longer for a pattern that is made to be slow', () => {
    expect(matchesWildcard(`${'*a'.repeat(500)}b`, 'a'.repeat(2_000))).toBe(false);
  });
});

describe(patternOf, () => {
  const patternFor = (text: string): string => patternOf(new URL(text));

  it.each([
    ['https://a.test/calendar/2026/11', 'https://a.test/calendar/1999/1'],
    ['https://a.test/shop?color=red&size=1', 'https://a.test/shop?size=2'],
    ['https://a.test/s/0123456789abcdef0/page', 'https://a.test/s/fedcba98765432100/page'],
  ])('is the same for %s and %s', (one, other) => {
    expect(patternFor(one)).toBe(patternFor(other));
    expect([isGenerated(new URL(one)), isGenerated(new URL(other))]).toEqual([true, true]);
  });

  it.each([
    ['https://a.test/guide/install', 'https://a.test/guide/start'],
    ['https://a.test/shop', 'https://a.test/shop?page=1'],
    ['https://a.test/2026/news', 'https://b.test/2026/news'],
  ])('differs for %s and %s', (one, other) => {
    expect(patternFor(one)).not.toBe(patternFor(other));
  });

  it('knows paths that grow by mistake', () => {
    expect(isRunaway(new URL('https://a.test/a/b/a/b/a/b/a/'))).toBe(true);
    expect(isRunaway(new URL('https://a.test/a/b/a/b/a/'))).toBe(false);
  });
});

describe(Scope, () => {
  const admits = (rules: Partial<ConstructorParameters<typeof Scope>[1]>, url: string): boolean => {
    const scope = new Scope(new URL('https://docs.a.test/guide/start'), {
      same: 'host',
      include: [],
      exclude: [],
      ...rules,
    });
    return scope.admits(scope.align(new URL(url)));
  };

  it.each([
    ['host', 'https://docs.a.test/other', true],
    ['host', 'http://docs.a.test/other', true],
    ['host', 'https://docs.a.test:8443/other', false],
    ['host', 'https://www.a.test/', false],
    ['domain', 'https://www.a.test/', true],
    ['domain', 'https://a.test.evil.example/', false],
    ['prefix', 'https://docs.a.test/guide/more/1', true],
    ['prefix', 'https://docs.a.test/guidebook', false],
  ] as const)('with %s admits %s: %s', (same, url, expected) => {
    expect(admits({ same }, url)).toBe(expected);
  });

  it('captures what one of several patterns includes', () => {
    const rules = { include: ['*/api/*', '*/manual/*'], exclude: ['*/old/*', '*/draft/*'] };
    expect(admits(rules, 'https://docs.a.test/manual/1')).toBe(true);
    expect(admits(rules, 'https://docs.a.test/manual/draft/1')).toBe(false);
    expect(admits(rules, 'https://docs.a.test/other')).toBe(false);
  });

  it.each([
    ['http://docs.a.test/a', 'https://docs.a.test/a'],
    ['http://docs.a.test:8080/a', 'http://docs.a.test:8080/a'],
    ['http://www.a.test/a', 'http://www.a.test/a'],
  ])('takes %s for %s', (given, aligned) => {
    const rules = { same: 'domain', include: [], exclude: [] } as const;
    const scope = new Scope(new URL('https://docs.a.test/'), rules);
    expect(scope.align(new URL(given)).href).toBe(aligned);
  });

  it('captures the start whatever the patterns say, and nothing that they leave out', () => {
    const rules = { include: ['*/api/*'], exclude: ['*/api/old*'] };
    expect(admits(rules, 'https://docs.a.test/guide/start')).toBe(true);
    expect(admits(rules, 'https://docs.a.test/guide/other')).toBe(false);
    expect(admits(rules, 'https://docs.a.test/api/1')).toBe(true);
    expect(admits(rules, 'https://docs.a.test/api/old/1')).toBe(false);
  });
});
