import { describe, expect, it } from '@jest/globals';
import { CssUrls } from './css-urls.js';

const absolute = (css: string): string =>
  new CssUrls(css, (url) => (url.startsWith('#') ? url : `<${url}>`)).mapped();

describe(CssUrls.name, () => {
  it.each([
    ['a{b:url(x)}', 'a{b:url("<x>")}'],
    [`a{b:URL( 'x y' ) c}`, 'a{b:url("<x y>") c}'],
    ['a{b:url("x\\"y")}', 'a{b:url("<x\\"y>")}'],
    ['a{b:url(x\\29 y\\)z)}', 'a{b:url("<x)y)z>")}'],
    ['url(x), url(y)', 'url("<x>"), url("<y>")'],
    ['@import "x" screen; a{content:"y"}', '@import "<x>" screen; a{content:"y"}'],
    [`@import /* a */ 'x'; "y"`, `@import /* a */ "<x>"; "y"`],
    ['@import url(x) layer(a); "y"', '@import url("<x>") layer(a); "y"'],
    ['@IMPORT"x";', '@IMPORT"<x>";'],
    [
      'image-set("x" 1x, url(y) 2x, "z" type("image/png"))',
      'image-set("<x>" 1x, url("<y>") 2x, "<z>" type("image/png"))',
    ],
    ['f(image-set("x" 1x), "y")', 'f(image-set("<x>" 1x), "y")'],
    ['--v:url(x)', '--v:url("<x>")'],
    ['url(x', 'url("<x>")'],
    ['url("x', 'url("<x>")'],
  ])('maps the URLs of %s', (css, expected) => {
    expect(absolute(css)).toBe(expected);
  });

  it.each([
    '/* url(x) */ a::before{content:"url(x)"} b{c:my-url(x)}',
    "'url(x)' \"it's url(y)\" 'a\\'url(z)'",
    'a{fill:url(#x);fill:url("#y")}',
    'a{b:url(x y)}',
    '/* @import "x"',
    '@imported "x"; @charset "utf-8"; @namespace svg "x";',
    'a{content:"a\nurl(x y)',
    ')) ( "x"',
  ])('leaves %j as it is', (css) => {
    expect(absolute(css)).toBe(css);
  });

  it.each([
    '/* ',
    'url(',
    'url( ',
    'url("',
    '"\\',
    '(',
    ')',
    'image-set(',
    '@import ',
    '\\',
    "'\n",
    ' ',
    'url(x ',
  ])('reads two million times %j in linear time', (part) => {
    const css = part.repeat(2_000_000 / part.length);
    const started = performance.now();
    absolute(css);
    // A quadratic search would take hours.
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('takes URLs of any length', () => {
    const data = `data:image/png;base64,${'A'.repeat(20_000_000)}`;
    const found: string[] = [];
    const mapped = new CssUrls(`a{b:url(${data})}`, (url) => (found.push(url), url)).mapped();
    expect([mapped.length, found[0]?.length]).toEqual([data.length + 10, data.length]);
  });
});
