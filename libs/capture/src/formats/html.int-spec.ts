import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';
import { differingPixels, savedSite } from '../../../../test/support/saved-site.js';
import { Site } from '../../../../test/support/site.js';
import type { CaptureOptions } from '../request/capture-options.js';

const reply =
  (type: string, body: string | Buffer): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type }).end(body);
  };
const html = (body: string): RequestListener => reply('text/html; charset=utf-8', `<!doctype html>${body}`);
const script = (code: string): RequestListener => html(`<body><script>${code}</script>`);

/** A page that notices what is done to it. */
const WATCHED = `<title>untouched</title><div id="host"></div><p id="p" class="a">text</p><iframe srcdoc="x"></iframe><script>
  host.attachShadow({ mode: 'closed' }).innerHTML = '<b>closed</b>';
  const notice = () => { document.title = 'touched' };
  new MutationObserver(notice).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const name of ['attachShadow', 'attachInternals', 'getHTML', 'cloneNode', 'getAttribute', 'matches'])
    Element.prototype[name] = notice;
  for (const owner of [document, Element.prototype])
    for (const name of ['adoptedStyleSheets', 'attributes', 'shadowRoot', 'outerHTML', 'localName'])
      Object.defineProperty(owner, name, { get: notice, set: notice });
  window.fetch = window.CSSStyleSheet = window.URL = notice;
  Object.prototype.toJSON = Array.prototype.toJSON = notice;
</script>`;

const TAMPERED = `<form id="f"><input name="nodeType"><input name="localName"><input name="namespaceURI"><input name="matches">
  <input name="getAttributeNames"><input name="shadowRoot"><input name="tagName">in the form</form>
  <img name="documentElement"><img name="childNodes"><img name="doctype"><img name="head"><img name="styleSheets">
  <img name="adoptedStyleSheets"><img name="baseURI"><img name="querySelector"><img name="compatMode">`;

const site = new Site({
  '/watched': html(WATCHED),
  '/tampered': html(TAMPERED),
  '/address': html(`<base href="/there/" target="_blank"><meta http-equiv="refresh" content="900; url=next">
    <a href="#in">a</a><a href="?q=1&amp;r">b</a><a href="javascript:void 0">c</a><form action><button formaction="go">d</button></form>
    <blockquote cite="e"></blockquote><svg><a xlink:href="f"></a><rect fill="url(#x)" mask="url(g#y)"/></svg><object data="h"></object>
    <link rel="preload" as="image" imagesrcset="i 1x, j 2x"><p style="background: image-set('k' 1x)"></p><img src="http://[bad">`),
  '/plain': reply('text/plain', 'a < b\n\n  & c'),
  '/image': reply(
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg"><a href="#x"><text y="9">drawn</text></a></svg>',
  ),
  '/xhtml': reply(
    'application/xhtml+xml',
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><div/><br/><script>1 &lt; 2</script><p>after</p></body></html>`,
  ),
  '/xml': reply('application/xml', '<root><item a="1">first</item></root>'),
  '/quirks': reply('text/html', '<p>quirks'),
  '/umlaut': html('ä'),
  '/raw':
    html(`<style>p::before { content: "<\\/p>" }</style><pre>\n\n a</pre><noscript><p>never</p></noscript>
    <script>if (1 < 2 && '</p>') document.title = 'a & b'</script><!-- a > b --><template><i>inert</i></template><p>&nbsp;&lt;</p>`),
  '/many': script(`document.body.innerHTML = '<b>x</b>'.repeat(50_000)`),
  '/deep':
    // Chromium cannot lay out so many.
    script(`let at = document.body; at.hidden = true; for (let i = 0; i < 20_000; i += 1) at = at.appendChild(document.createElement('i'));
    at.textContent = 'deep'`),
  '/attribute': script(`document.body.title = 'é"'.repeat(5_000_000)`),
  '/growing':
    script(`const grow = (count) => document.body.append(...Array.from({ length: count }, () => 'x'.repeat(1_000)));
    grow(1_000); setInterval(grow, 10, 50)`),
  '/frames': script(`const add = (page, depth) => { for (let i = 0; depth > 0 && i < 2; i += 1) {
    const frame = page.body.appendChild(page.createElement('iframe'));
    frame.contentDocument.body.textContent = '"&' + depth;
    add(frame.contentDocument, depth - 1) } };
    add(document, 6)`),
});
let saved = Buffer.alloc(0);
/** Another origin, as a file is. */
const elsewhere = new Site({
  '/saved': (_, response) => void response.setHeader('content-type', 'text/html').end(saved),
});

let capturing: Capturing;
beforeAll(async () => {
  await Promise.all([site.open(), savedSite.open(), elsewhere.open()]);
  capturing = await Capturing.open();
});
afterAll(() => Promise.all([capturing.close(), site.close(), savedSite.close(), elsewhere.close()]));

async function htmlOf(path: string, options: Partial<CaptureOptions> = {}): Promise<string> {
  const { bytes } = await capturing.capture(site.url(path), { format: 'html', ...options });
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

describe('the HTML of a page', () => {
  it('looks like the page when it is opened elsewhere', async () => {
    // A password is never in the file, and the document of a frame is never in quirks mode there.
    const options = { hide_selectors: ['#password', '#written'], mask_selectors: ['.masked'] };
    const { bytes } = await capturing.capture(savedSite.url('/everything'), { format: 'html', ...options });
    saved = Buffer.from(bytes);
    const text = saved.toString();
    for (const part of ['<title>Everything — ä</title>', '<meta charset="utf-8">', 'typed', '<script>'])
      expect(text).toContain(part);
    expect(text.slice(0, text.indexOf('<script>'))).not.toMatch(
      /hunter2|initial|secret|mask-|windows-1252|blob:|href="(?!http|#)/,
    );
    const [live, opened] = [
      await capturing.capture(savedSite.url('/everything'), { ...options }),
      await capturing.capture(elsewhere.url('/saved')),
    ];
    expect(await differingPixels(live.bytes, opened.bytes)).toBe(0);
  });

  it('is read without changing the page, and without the functions of the page', async () => {
    const { bytes, facts } = await capturing.capture(site.url('/watched'), { format: 'html' });
    expect(facts.title).toBe('untouched');
    expect(Buffer.from(bytes).toString()).toContain(
      '<template shadowrootmode="closed"><b>closed</b></template>',
    );
    const text = await htmlOf('/tampered');
    expect(text).toContain('in the form</form>');
    expect(text.match(/<in?m?g?p?u?t? /g)).toHaveLength(16);
  });

  it('has absolute URLs', async () => {
    const text = await htmlOf('/address');
    const at = (path: string): string => `"${site.url(`/there/${path}`).replace('&', '&amp;')}`;
    for (const url of ['#in"', '?q=1&r"', '"', 'go"', 'e"', 'f"', 'h"']) expect(text).toContain(at(url));
    expect(text).toContain(`content="900; url=${at('next').slice(1)}"`);
    expect(text).toContain(`imagesrcset=${at('i')} 1x, ${at('j').slice(1)} 2x"`);
    expect(text).toContain(`image-set(&quot;${at('k').slice(1)}&quot; 1x)`);
    expect(text).toContain(`fill="url(#x)" mask="url(&quot;${at('g#y').slice(1)}&quot;)"`);
    for (const kept of ['<base target="_blank">', '"javascript:void 0"', '"http://[bad"'])
      expect(text).toContain(kept);
  });

  it('is parsed to the same text, scripts, styles and comments', async () => {
    const text = await htmlOf('/raw');
    for (const part of [
      `<style>p::before { content: "<\\/p>" }</style>`,
      '<pre>\n\n a</pre>',
      `if (1 < 2 && '</p>')`,
      '<!-- a > b -->',
      '<template><i>inert</i></template>',
      '<p>&nbsp;&lt;</p>',
    ])
      expect(text).toContain(part);
    expect(await htmlOf('/umlaut')).toContain('<body>ä</body>');
    expect(await htmlOf('/quirks')).toBe(
      '<html><head><meta charset="utf-8"></head><body><p>quirks</p></body></html>',
    );
  });

  it('may be that of one element', async () => {
    const options = { selector: 'blockquote, a:nth-of-type(2)' };
    expect(await htmlOf('/address', options)).toBe(`<a href="${site.url('/there/?q=1&amp;r')}">b</a>`);
    for (const selector of ['video', ':not(']) {
      const error = await capturing.failure(site.url('/plain'), { format: 'html', selector });
      expect([error.code, error.facts.phase]).toEqual(['selector_not_found', 'render']);
      expect(error.message).toContain(selector);
    }
  });

  it('shows documents of other kinds, and pages without scripts', async () => {
    expect(await htmlOf('/plain')).toContain('a &lt; b\n\n  &amp; c</pre>');
    expect(await htmlOf('/image')).toMatch(
      /^<!DOCTYPE html><html>.*<svg xmlns="[^"]*"><a href="#x"><text y="9">drawn<\/text><\/a><\/svg><\/body>/,
    );
    expect(await htmlOf('/xhtml')).toContain(
      '<body><div></div><br><script>1 < 2</script><p>after</p></body>',
    );
    expect(await htmlOf('/xml')).toContain('first');
    expect(await htmlOf('/raw', { javascript: false })).toContain('<noscript><p>never</p></noscript>');
  });
});

describe('a page that is hostile', () => {
  it.each([
    ['/many', 250_000],
    ['/attribute', 4_000_000],
    ['/growing', 700_000],
  ])('ends as resource_limit: %s of more than %d bytes', async (path, maxBytes) => {
    const options = { format: 'html', wait_until: 'load', timeout_ms: 60_000 } as const;
    const error = await capturing.failure(site.url(path), options, { maxBytes });
    expect([error.code, error.facts.phase]).toEqual(['resource_limit', 'render']);
    expect(error.message).toContain(String(maxBytes));
  });

  it('may be deep, long, or full of frames', async () => {
    expect(await htmlOf('/deep')).toContain(`deep${'</i>'.repeat(20_000)}`);
    expect((await htmlOf('/many')).length).toBeGreaterThan(400_000);
    const frames = await htmlOf('/frames');
    expect(frames.match(/srcdoc=/g)).toHaveLength(2 + 4 + 8);
    expect(frames.length).toBeLessThan(100_000);
  });
});
