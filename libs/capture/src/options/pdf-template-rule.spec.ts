import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { templateFault } from './pdf-template-rule.js';

describe(templateFault.name, () => {
  it.each([
    '<span class="pageNumber"></span> of <span class="totalPages"></span>',
    '<style>.t { color: red; background: url(#g) }</style><b class="t">see https://example.com/</b>',
    '<img src="data:image/png;base64,AAAA" width="20">',
    '<div style="background: url(\'data:image/png;base64,AAAA\')">x</div>',
    '<a href="https://example.com/">a link</a>',
    'turn on = true',
  ])('takes %s', (html) => {
    expect(templateFault(html)).toBeUndefined();
  });

  it.each([
    ['<script>1</script>', 'must not hold <script>'],
    ['< SCRIPT src=x>', 'must not hold <script>'],
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
  ])('refuses %s', (html, fault) => {
    expect(templateFault(html)).toContain(fault);
  });

  it.each(['<', '< ', '<a on', '<style', '<style>', ' ', '< /', 'url(', '="/'])(
    'is done with any number of %j',
    (piece) => {
      const judge = () => templateFault(`<${piece.repeat(300_000)}`);
      // What takes time by the square of the length takes minutes here.
      expect(() => {
        runInNewContext('judge()', { judge }, { timeout: 20_000 });
      }).not.toThrow();
    },
  );
});
