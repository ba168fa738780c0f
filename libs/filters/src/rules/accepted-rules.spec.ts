import { describe, expect, it } from '@jest/globals';
import { acceptRules } from './accepted-rules.js';

const counts = (text: string) => {
  const { network, cosmetic, skipped } = acceptRules(text);
  return { network: network.length, cosmetic: cosmetic.length, skipped };
};

const accepts = (rule: string) => {
  const { network, cosmetic } = counts(rule);
  return network + cosmetic === 1;
};

describe('acceptRules', () => {
  it('counts the rules it takes and the lines it does not understand, but no comments', () => {
    const text =
      '[Adblock Plus 2.0]\n! Title: x\n\n||a.example^\n||b.example^$unknown-option\n##.ad\n#%#evil()\n';
    expect(counts(text)).toEqual({ network: 1, cosmetic: 1, skipped: 2 });
  });

  it.each([
    ['a look-ahead', '/(?=a)b/'],
    ['a look-behind', '/(?<!a)b/'],
    ['a back reference', '/(a)\\1/'],
    ['no valid expression', '/(a/$script'],
  ])('refuses a regular expression with %s, which takes no linear time', (_, rule) => {
    expect(accepts(rule)).toBe(false);
  });

  it.each(['/^https:\\/\\/[a-z]{8,}\\.example\\//', '/(a+)+$/', '/ads\\d+/i$script'])('takes %s', (rule) => {
    expect(accepts(rule)).toBe(true);
  });

  it.each(['*', '||*', 'ad', '*$script', '|http', '/', 'ad$image', '||^'])(
    'refuses %s, which is for most requests of all pages',
    (rule) => {
      expect(accepts(rule)).toBe(false);
    },
  );

  it.each(['*$script,domain=news.example', '@@*$image', '/ad/', '-ad-', '||t.co^'])('takes %s', (rule) => {
    expect(accepts(rule)).toBe(true);
  });

  it.each([
    'The quick brown fox',
    '<html>',
    '<p class="x">text</p>',
    '{"error":"not found"}',
    '  "a": [1, 2]',
    'Not Found',
    '||ads.example/a b',
    `||ads.example/${'a'.repeat(3_000)}`,
    `##.${'a'.repeat(3_000)}`,
  ])('refuses %s, which no list has', (line) => {
    expect(accepts(line)).toBe(false);
  });

  it.each([
    '##.ad:has(> img[alt="x"])',
    '##div:not(.a, .b) > span:nth-child(2n + 1)',
    '###ad\\:slot',
    '##[href*="//ads.example/"]',
    '##.ad::before',
    'news.example##div[style^="color: red"]',
    'news.example##.ad:style(height: 0 !important; color: #fff)',
  ])('takes the selector of %s', (rule) => {
    expect(accepts(rule)).toBe(true);
  });

  it.each([
    '##.ad { } body { background: url(//x) } .x',
    '##.ad } .x',
    '##.ad:contains(text)',
    '##.ad:xpath(//div)',
    '##:matches-css(color: red)',
    '##.ad:unknown',
    '##.ad >',
    '##.1ad',
    '##.ad,',
    '##',
    '##.ad/*',
    '##.ad:not()',
    '##.ad:is(.b:unknown)',
    '##a[href="x',
    '##^script:has-text(ads)',
    'news.example##+js(evil)',
    'news.example##.ad:remove()',
  ])('refuses the selector of %s', (rule) => {
    expect(accepts(rule)).toBe(false);
  });

  it.each([
    'background: url(//x.example/a)',
    'background: u\\72l(//x)',
    'color: red } body { color: blue',
    "content: 'x'",
    'width: expression(1)',
    'background: image-set("a" 1x)',
    '@import "x"',
    '--x: var(--y)',
  ])('refuses the style %s, which may load something or end the rule', (style) => {
    expect(accepts(`news.example##.ad:style(${style})`)).toBe(false);
  });
});
