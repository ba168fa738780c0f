import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';
import { Site } from '../../../../test/support/site.js';
import type { CaptureOptions } from '../request/capture-options.js';

const html =
  (body: string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(`<!doctype html>${body}`);
  };

const ARTICLE = `<nav><a href="/1">one</a> <a href="/2">two</a></nav><article><h1>Title</h1>
  <p>Some words with <b>a mark</b> and <a href="/there">a link</a>, enough of them to be an article.</p></article>`;
const ARTICLE_MARKDOWN = `# Title

Some words with **a mark** and [a link](SITE/there), enough of them to be an article.
`;

const STRICT =
  "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; sandbox";

const COMPONENTS = `<div id="host"><b slot="name">slotted</b></div><iframe srcdoc="<h2>framed</h2><a href='/x'>link</a>"></iframe>
  <script>
    document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<ul><li>shadow <slot name="name"></slot></ul>';
  </script>`;

/** Reports each change of the page, as a request. */
const WATCHED = `${ARTICLE}<script type="application/ld+json">{"articleBody":"Some words"}</script><script>
  new MutationObserver(() => fetch('/changed'))
    .observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
</script>`;

/** Line numbers as Pygments, Chroma, react-syntax-highlighter and boxes in a row have them; the last block is made of numbers. */
const NUMBERED = `<pre><span class="lineno">1</span>p = 61
<span class="lineno">2</span>q = 97</pre>
  <pre><span style="display:flex"><span style="user-select:none"> 1</span><span>p = 61
</span></span><span style="display:flex"><span style="user-select:none"> 2</span><span>q = 97
</span></span></pre>
  <pre><div style="display:flex"><span>1</span><div>p = 61</div></div><div style="display:flex"><span>2</span><div>q = 97</div></div></pre>
  <table><tr><td><pre>1\n2</pre></td><td><pre>p = 61\nq = 97</pre></td></tr></table>
  <pre><b>1</b>\n<b>2</b>\n<b>3</b></pre>`;

const FORMULAS = `<p>For <math><mi>a</mi><mo>≠</mo><mn>0</mn></math> the roots are</p>
  <math display="block"><mfrac><mrow><mo>−</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup><mo>−</mo><mn>4</mn><mi>a</mi><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac></math>
  <p>and <math><msub></msub><mi>x</mi></math> is not right.</p>
  <p><span data-math="x_1"><span class="katex">x1</span></span> <img alt="\\sqrt{y}" src="/y.svg"> <img src="/draw?%5Cfrac%7Ba%7D%7Bb%7D">
  <script type="math/tex">\\pi</script> <img alt="a path" src="/z.svg?C:%5Cleft"></p>`;

const NOTES = `<div class="page"><article><h1>Title</h1><p>A lamp of 1871<sup><a href="#n1">1</a></sup> was on the cape,
  which ${'is far from everything else and '.repeat(20)}has no road.<sup>2</sup></p></article>
  <div class="promo"><a href="/x">Unwanted</a></div>
  <div><ol><li id="n1" class="footnote">Of paraffin.</li></ol></div>
  <div class="Post_footnotes_x1"><p><sup>2</sup> Until 1990.</p></div><footer>Imprint</footer></div>`;

const site = new Site({
  '/notes': html(NOTES),
  '/formulas': html(FORMULAS),
  '/numbered': html(NUMBERED),
  '/watched': html(WATCHED),
  '/article': html(ARTICLE),
  '/strict': html(ARTICLE, { 'content-security-policy': STRICT }),
  '/components': html(COMPONENTS),
  '/empty': html('<p> </p>'),
});

let capturing: Capturing;
beforeAll(async () => {
  await site.open();
  capturing = await Capturing.open();
});
afterAll(() => Promise.all([capturing.close(), site.close()]));

async function markdownOf(page: string, options: Partial<CaptureOptions> = {}): Promise<string> {
  const { bytes } = await capturing.capture(page, { format: 'markdown', ...options });
  return Buffer.from(bytes).toString();
}

describe('the Markdown of a page', () => {
  it('says what it can of HTML', async () => {
    const markdown = await markdownOf('/contents/constructs.html', { content: 'full' });
    expect(markdown).toBe(await readFile('test/site/contents/constructs.md', 'utf8'));
  });

  it.each([
    ['ordinary', '/article', {}],
    ['with a strict content security policy', '/strict', {}],
    ['without scripts', '/article', { javascript: false }],
  ])('is that of the main content: %s', async (_, path, options) => {
    const { files, bytes } = await capturing.capture(site.url(path), { format: 'markdown', ...options });
    expect(Buffer.from(bytes).toString()).toBe(ARTICLE_MARKDOWN.replace('SITE', site.url('')));
    expect(files[0].facts.content).toBe('main');
  });

  it('goes through shadow roots and frames', async () => {
    const markdown = await markdownOf(site.url('/components'), { content: 'full' });
    expect(markdown).toBe(`- shadow **slotted**\n\n## framed\n\n[link](${site.url('/x')})\n`);
  });

  it('has neither what is removed nor what is covered', async () => {
    const options = { hide_selectors: ['h1'], mask_selectors: ['b', 'nav a'] };
    const markdown = await markdownOf(site.url('/article'), options);
    expect(markdown).toBe(
      `Some words with and [a link](${site.url('/there')}), enough of them to be an article.\n`,
    );
    expect(await markdownOf(site.url('/article'), { ...options, content: 'full' })).toBe(markdown);
  });

  it('has the code without its line numbers', async () => {
    const markdown = await markdownOf(site.url('/numbered'), { content: 'full' });
    const block = '```\np = 61\nq = 97\n```\n\n';
    expect(markdown).toBe(`${block.repeat(4)}\`\`\`\n1\n2\n3\n\`\`\`\n`);
    const text = await capturing.capture(site.url('/numbered'), { format: 'text', content: 'full' });
    expect(Buffer.from(text.bytes).toString().replace(/\s+/g, ' ')).toBe(
      `${'p = 61 q = 97 '.repeat(4)}1 2 3`,
    );
  });

  it('has formulas that the page has no LaTeX of', async () => {
    const options = { content: 'full' } as const;
    const markdown = await markdownOf(site.url('/formulas'), options);
    expect(markdown.replace(/!.*/, 'a picture')).toBe(
      'For $a \\neq 0$ the roots are\n\n$$\n\\frac{- b \\pm \\sqrt{b^{2} - 4 a c}}{2 a}\n$$\n\nand $x$ is not right.\n\n$x_1$ $\\sqrt{y}$ $\\frac{a}{b}$ $\\pi$ a picture\n',
    );
    const { bytes } = await capturing.capture(site.url('/formulas'), { format: 'text', ...options });
    expect(Buffer.from(bytes).toString()).toBe(
      'For a ≠ 0 the roots are\n\n(−b ± √(b^2 − 4ac))/(2a)\n\nand x is not right.\n\nx1',
    );
  });

  it('has the footnotes that stand outside of the main content', async () => {
    const markdown = await markdownOf(site.url('/notes'));
    expect(markdown).toContain('A lamp of 1871[^1] was on the cape');
    expect(markdown).toMatch(
      /has no road\.<sup>2<\/sup>\n\n\[\^1\]: Of paraffin\.\n\n<sup>2<\/sup> Until 1990\.\n$/,
    );
  });

  it('is that of a selector', async () => {
    const { files, bytes } = await capturing.capture(site.url('/article'), {
      format: 'markdown',
      selector: 'nav',
    });
    expect(Buffer.from(bytes).toString()).toBe(`[one](${site.url('/1')}) [two](${site.url('/2')})\n`);
    expect(files[0].facts.content).toBe(null);
  });

  it('is read without a change of the page, and without requests', async () => {
    site.forget();
    expect(await markdownOf(site.url('/watched'), { delay_ms: 100 })).toContain('# Title');
    expect(site.requests.map(({ url }) => url).filter((url) => url !== '/favicon.ico')).toEqual(['/watched']);
  });

  it('may be empty', async () => {
    expect(await markdownOf(site.url('/empty'))).toBe('');
  });
});
