import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { templateFault } from './pdf-template-rule.js';

/** What would load something, in the ways of CSS, HTML and SVG. */
const OUTSIDE = [
  ...[
    '@\\69mport "x.css";',
    '@IMPORT url(data:text/css,b{});',
    '@import/**/"x.css";',
    'b { background: \\75rl(x.png) }',
    'b { background: u\\72l("x.png") }',
    'b { background: URL( "https://example.com/" ) }',
    'b { background: url(x y) }',
    'b { background: url("x.png" }',
    'b { background: image-set("x.png" 1x) }',
    'b { background: -webkit-image-set(url(x.png) 1x) }',
    'b { background: image-set(var(--x) 1x); --x: "x.png" }',
    'b { background: src("x.png") }',
    'b { --x: url(x.png) }',
    'b { content: "}"; cursor: url(x.cur), auto }',
    '@font-face { font-family: f; src: local(f), url(x.woff) }',
    '@media print { b { mask: url("https://example.com/m.svg#m") } }',
    '@supports (x: url(y)) {}',
  ].map((css) => `<style>${css}</style>`),
  '<b style="background: &#117;rl(x.png)">x</b>',
  '<b style="background: \\75rl(x.png)">x</b>',
  '<svg><style>&#64;import "x.css";</style></svg>',
  '<svg><style><![CDATA[@import "x.css";]]></style></svg>',
  '<svg><image href="https://example.com/a.png"/></svg>',
  '<svg><image xlink:href="a.png"/></svg>',
  '<svg><use href="https://example.com/a.svg#x"/></svg>',
  '<svg><rect fill="url(https://example.com/a.svg#x)"/></svg>',
  '<img srcset="a.png 1x">',
  '<img srcset="data:image/png;base64,AA 1x, a.png 2x">',
  '<img srcset="data:image/png;base64,AA 1x,a.png">',
  '<img srcset=",a.png">',
  '<img alt=">" src="a.png">',
  '<video poster="a.png"></video>',
  '<table background="a.png"></table>',
  '<a href=" java&#10;script:1">x</a>',
];

describe(templateFault.name, () => {
  it.each(['', 'data:image/png;base64,AA', 'data:image/png;base64,AA 1x, data:image/png;base64,BB 1.5x'])(
    'takes a srcset of data: URLs: %j',
    (srcset) => {
      expect(templateFault(`<img srcset="${srcset}">`)).toBeUndefined();
    },
  );

  it.each([
    '<span class="pageNumber"></span> of <span class="totalPages"></span>',
    '<style>.t { color: red; background: url(#g) }</style><b class="t">see https://example.com/</b>',
    '<img src="data:image/png;base64,AAAA" width="20">',
    '<div style="background: url(\'data:image/png;base64,AAAA\')">x</div>',
    '<a href="https://example.com/">a link</a>',
    'turn on = true',
    '< script> is text, and so is <!-- <script> --> in a comment',
    '<textarea><link></textarea>',
    '<p title="url(https://example.com/)">x</p>',
    '<style>b::after { content: "url(x) @import" } /* @import "x.css" */</style>',
    '<style>@font-face { font-family: f; src: url(data:font/woff2;base64,AAAA) }</style>',
    '<svg><defs><linearGradient id="g"/></defs><rect fill="url(#g)"/><use href="#g"/></svg>',
    '<b style="background: image-set(url(data:image/png;base64,AAAA) 1x)">x</b>',
  ])('takes %s', (html) => {
    expect(templateFault(html)).toBeUndefined();
  });

  it.each([
    ['<script>1</script>', 'must not hold <script>'],
    ['<SCRIPT src=x>', 'must not hold <script>'],
    ['<svg><foreignObject><p>x</p></foreignObject></svg>', 'must not hold <foreignobject>'],
    ['<svg><a><set attributeName="href" to="javascript:1"/>x</a></svg>', 'must not hold <set>'],
    ['<!-->--><link rel=stylesheet href=x.css>', 'must not hold <link>'],
    ['<textarea></textarea><base href="https://example.com/">', 'must not hold <base>'],
    ['<iframe srcdoc="x"></iframe>', 'must not hold <iframe>'],
    ['<link rel="stylesheet" href="x.css">', 'must not hold <link>'],
    ['<meta http-equiv="refresh" content="0">', 'must not hold <meta>'],
    ['<img src=x onerror=alert(1)>', 'must not hold event handlers'],
    ['<svg/onload=1>', 'must not hold event handlers'],
    ['<img src="file:///etc/passwd">', 'must not refer to anything outside it'],
    ['<img src="https://example.com/a.png">', 'must not refer to anything outside it'],
    ['<img src=//example.com/a.png>', 'must not refer to anything outside it'],
    ['<a href="javascript:1">x</a>', 'must not refer to anything outside it'],
    ['<style>@import "x.css";</style>', 'must not refer to anything outside it'],
    ['<style>b { background: url(x.png) }</style>', 'must not refer to anything outside it'],
    ['<i style="background: url( \'http://example.com/\')">x</i>', 'must not refer to anything outside it'],
    ...OUTSIDE.map((html) => [html, 'must not refer to anything outside it'] as const),
  ])('refuses %s', (html, fault) => {
    expect(templateFault(html)).toContain(fault);
  });

  it.each([
    ...[
      '<',
      '< ',
      '<a on',
      '<style',
      '<style>',
      ' ',
      '< /',
      'url(',
      '="/',
      '<b a="',
      '<!--',
      '<svg>',
      '&',
      '&#',
      '<b>',
    ],
    ...[
      '<style>\\',
      '<style>(',
      '<style>image-set(',
      '<style>/*',
      '<style>"',
      '<style>@',
      '<style>url(',
      '<style>u+?',
    ],
    ...['<p style="a(', "<p style='{'>", '<style></style>'],
  ])('takes linear time for any number of %j', (piece) => {
    const judge = () =>
      templateFault(`${piece.startsWith('<') ? '' : '<'}${piece.repeat(300_000 / piece.length)}`);
    // What takes time by the square of the length takes minutes here.
    expect(() => {
      runInNewContext('judge()', { judge }, { timeout: 20_000 });
    }).not.toThrow();
  });
});
