import { NetworkFilter, Request } from '@ghostery/adblocker';
import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { linearPattern } from './linear-pattern.js';

function matches(rule: string, url: string, isLinear = true): boolean {
  const filter = NetworkFilter.parse(rule);
  if (filter === null) throw new Error(`${rule} is no rule`);
  if (isLinear) filter.regex = linearPattern(filter);
  return filter.match(Request.fromRawDetails({ url, type: 'script', sourceUrl: 'https://page.example/' }));
}

describe('linearPattern', () => {
  it.each([
    ['||a.example^*/ads/', 'https://a.example/x/ads/y', true],
    ['||a.example^*/ads/', 'https://a.example/x/ad/y', false],
    ['||a.example^path', 'https://a.example/path', true],
    ['||a.example^path', 'https://a.example/xpath', false],
    ['||a.*/ads', 'https://a.example/ads', true],
    ['|https://*.js|', 'https://x.example/a.js', true],
    ['|https://*.js|', 'https://x.example/a.js?x', false],
    ['/ads^', 'https://x.example/ads', true],
    ['/ads^', 'https://x.example/ads?x', true],
    ['/ads^', 'https://x.example/adsx', false],
    ['/ads^|', 'https://x.example/ads/', true],
    ['/ads^|', 'https://x.example/ads', true],
    ['/ads^|', 'https://x.example/ads/x', false],
    ['/Ads*Banner', 'https://x.example/ADS/x/banner', true],
    ['/a*b*c', 'https://x.example/acb', false],
    ['/^https:\\/\\/[a-z]+\\.example\\/\\d{3}$/', 'https://abc.example/123', true],
    ['/^https:\\/\\/[a-z]+\\.example\\/\\d{3}$/', 'https://abc.example/1234', false],
    ['/Example\\/A/$match-case', 'https://x.Example/A', true],
    ['/example\\/a/$match-case', 'https://x.example/A', false],
  ])('%s on %s: %s', (rule, url, expected) => {
    expect(matches(rule, url)).toBe(expected);
  });

  it('agrees with the regular expressions of the engine on 20,000 random patterns', () => {
    const random = seededRandom(13);
    const text = (letters: string, length: number) =>
      Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join('');
    for (let i = 0; i < 20_000; i++) {
      const anchors = [['', '|', '||x.example'][i % 3] ?? '', i % 2 === 0 ? '' : '|'];
      const start = anchors[0] === '|' ? 'https://x' : '';
      const rule = `${anchors[0]}${start}${text('ab*^/.', 2 + (i % 7))}${anchors[1]}$script`;
      const url = `https://x.example/${text('ab/.-?', i % 9)}`;
      if (NetworkFilter.parse(rule) === null) continue;
      expect({ rule, url, matches: matches(rule, url) }).toEqual({
        rule,
        url,
        matches: matches(rule, url, false),
      });
    }
  });

  // A backtracking matcher takes minutes to years for each.
  it.each([
    ['/(a+)+b$/', 'a'.repeat(4_000)],
    ['/(?:a|a)*c$/', 'a'.repeat(4_000)],
    ['/^https:.*.*.*.*.*=c$/', 'a'.repeat(4_000)],
    ['a*b*a*b*a*b*c', 'ab'.repeat(2_000)],
    ['||x.example^*a*a*a*a*a*a*b', 'a'.repeat(4_000)],
    ['aaaaaaaaaaaaaaaaaaaa^*^*^*^b', `${'a'.repeat(30)}/`.repeat(130)],
  ])('answers %s at once, whatever the URL', (rule, path) => {
    const startedAt = performance.now();
    expect(matches(rule, `https://x.example/${path}`)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
