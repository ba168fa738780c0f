import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';
import { Site } from '../../../../test/support/site.js';
import type { CaptureOptions } from '../request/capture-options.js';

const html =
  (body: string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html>${body}`);
  };

const HIDDEN = `<title>not this</title><style>.v { visibility: hidden } .v b { visibility: visible }</style>
  <script>'not this'</script><noscript>not this</noscript><template>not this</template>
  <p style="display: none">not this</p><p hidden>not this</p><p class="v">not this<b>but this</b></p>
  <div style="content-visibility: hidden">not this<i>not this</i></div>
  <details>not this<summary>summary</summary><p>not this</p></details>
  <details open><summary>open</summary>inside</details>
  <textarea>not this</textarea><input value="not this"><select><option>not this</select>
  <video>not this</video><canvas>not this</canvas><iframe>not this</iframe>
  <svg width="9" height="9"><title>not this</title><text y="9">drawn</text></svg>
  <p style="opacity: 0">faint</p>`;

const TABLE = `<table><caption>Prices</caption><thead><tr><th>what<th>how much</thead>
  <tr><td>tea<td><p>2 €</p><tr><td><td>3 €</table>
  <pre>if (a)
    b();</pre><ul><li>one<li>two <b>and</b>
  a half</ul><h1 style="text-transform: uppercase">loud</h1><div style="display: flex"><i>left</i><i>right</i></div>`;

const SHADOW = `<div id="host"><b slot="name">slotted</b>unslotted<i slot="none">lost</i></div><script>
  const root = document.getElementById('host').attachShadow({ mode: 'open' });
  root.innerHTML = '<style>p { color: red }</style><p>in the shadow</p><slot name="name">unused</slot><slot name="no">fallback</slot>';
  const inner = document.createElement('x-inner');
  root.append(inner);
  inner.attachShadow({ mode: 'open' }).textContent = 'deeper';
</script>`;

const FRAMES = `<p>before</p><iframe src="/rtl"></iframe><iframe srcdoc="<p>of the page"></iframe>
  <iframe style="display: none" srcdoc="hidden"></iframe><iframe sandbox srcdoc="foreign"></iframe><p>after</p>`;

const RTL = '<html dir="rtl"><p>שלום <bdi>world</bdi> עולם</p><p dir="ltr">left</p>';

const TAMPERED = `<form id="f" name="f">seen<input name="nodeType"><input name="localName"><input name="shadowRoot">
  <input name="childNodes"><input name="matches"><input name="checkVisibility"></form>
  <img name="documentElement"><img name="querySelector"><script>
  for (const type of [Document, Element, Node, Array, String, Map, Symbol, Reflect]) {
    for (const name of Object.getOwnPropertyNames(type.prototype ?? {})) {
      try { Object.defineProperty(type.prototype, name, { get() { throw new Error('gone') } }) } catch {}
    }
  }
  window.getComputedStyle = () => { throw new Error('gone') };
  Symbol.for = () => { throw new Error('gone') };
</script>`;

const many = (code: string): RequestListener =>
  html(`<pre id="t"></pre><script>
    const lines = (count, line) => Array.from({ length: count }, () => line + '\\n');
    ${code}</script>`);

const site = new Site({
  '/hidden': html(HIDDEN),
  '/table': html(TABLE),
  '/shadow': html(SHADOW),
  '/frames': html(FRAMES),
  '/rtl': html(RTL),
  '/tampered': html(TAMPERED),
  '/frameset': html('<frameset cols="50%,50%"><frame src="/rtl"><frame src="/table"></frameset>'),
  '/empty': html('<p> </p>'),
  '/large': many(`t.append(...'😀', ...lines(10_000, 'ä'.repeat(500)))`),
  '/controls': many(`t.append(...lines(1_000, '\\x01'.repeat(500)))`),
  '/elements': many(`t.innerHTML = '<b>x</b> '.repeat(20_000)`),
  '/deep':
    many(`let at = t; for (let i = 0; i < 2_000; i += 1) at = at.appendChild(document.createElement('b'));
    at.textContent = 'deep'`),
  '/surrogates': many(`t.append('a\\ud800b')`),
  '/spaces': html(`<script>document.documentElement.append(' '.repeat(20_000_000), 'end')</script>`),
  '/endless': many(`const grow = (count) => t.append(...lines(count, 'x'.repeat(1_000)));
    grow(6_000); setInterval(grow, 1, 1)`),
});

let capturing: Capturing;
beforeAll(async () => {
  await site.open();
  capturing = await Capturing.open();
});
afterAll(() => Promise.all([capturing.close(), site.close()]));

const decode = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);

async function textOf(path: string, options: Partial<CaptureOptions> = {}): Promise<string> {
  const { bytes } = await capturing.capture(site.url(path), { format: 'text', ...options });
  return decode(bytes);
}

describe('the text of a page', () => {
  it('is what a person sees', async () => {
    const text = await textOf('/hidden');
    expect(text).not.toContain('not this');
    expect(text.split(/\n+/)).toEqual(['but this', 'summary', 'open', 'inside', 'drawn', 'faint']);
  });

  it('keeps the lines and columns of tables, code and lists', async () => {
    expect(await textOf('/table')).toBe(
      'Prices\nwhat\thow much\ntea\t2 €\n\t3 €\nif (a)\n    b();\none\ntwo and a half\nLOUD\nleft\nright',
    );
  });

  it('goes through open shadow roots, with what is slotted into them', async () => {
    expect(await textOf('/shadow')).toBe(
      'in the shadow\n\nslotted fallback deeper'.replaceAll(' fa', 'fa').replaceAll(' de', 'de'),
    );
  });

  it('goes through frames of the same origin', async () => {
    expect(await textOf('/frames')).toBe('before\n\nשלום world עולם\n\nleft\n\nof the page\n\nafter');
    expect(await textOf('/frameset')).toContain('left');
  });

  it('is in logical order where it runs from right to left', async () => {
    expect(await textOf('/rtl')).toBe('שלום world עולם\n\nleft');
  });

  it('may be empty', async () => {
    expect(await textOf('/empty')).toBe('');
  });

  it('does not depend on names and prototypes that the page has changed', async () => {
    expect(await textOf('/tampered')).toBe('seen');
    expect(await textOf('/tampered', { selector: 'form' })).toBe('seen');
  });

  it('is read without scripts, too', async () => {
    expect(await textOf('/hidden', { javascript: false })).toContain('but this');
  });

  it('has no surrogates without their other half', async () => {
    expect(await textOf('/surrogates')).toBe('a\ufffdb');
  });

  it('says nothing about pictures and pages in the record', async () => {
    const { facts, format } = await capturing.capture('/bands.html', { format: 'text' });
    expect({ format, ...facts }).toMatchObject({
      format: 'text',
      width: null,
      height: null,
      pages: null,
      pageHeight: 2_000,
      truncated: false,
    });
  });
});

describe('the text of a selector', () => {
  it('is that of the first element that matches', async () => {
    expect(await textOf('/table', { selector: 'li:nth-child(2)' })).toBe('two and a half');
    expect(await textOf('/hidden', { selector: '.v' })).toBe('but this');
  });

  it.each(['#none', 'p[hidden]', 'script'])(
    'fails without an element that is displayed: %s',
    async (selector) => {
      const error = await capturing.failure(site.url('/hidden'), { format: 'text', selector });
      expect([error.code, error.facts.phase]).toEqual(['selector_not_found', 'render']);
      expect(error.message).toContain(selector);
    },
  );
});

describe('what options hide', () => {
  it('is not in the text', async () => {
    const text = await textOf('/table', { hide_selectors: ['pre'], mask_selectors: ['ul', 'caption'] });
    expect(text).toBe('what\thow much\ntea\t2 €\n\t3 €\nLOUD\nleft\nright');
    expect(await textOf('/table', { selector: 'li', mask_selectors: ['ul'] })).toBe('');
    expect(await textOf('/shadow', { mask_selectors: ['#host'] })).toBe('');
  });
});

describe('a very long text', () => {
  const full = { content: 'full' } as const;

  it('is read as a whole up to the limit', async () => {
    const text = await textOf('/large', full);
    expect([text.length, text.replaceAll('ä', '')]).toEqual([5_010_001, `😀${'\n'.repeat(9_999)}`]);
    expect((await textOf('/elements', full)).length).toBe(40_000);
    expect((await textOf('/controls', full)).length).toBe(501_000 - 1);
  });

  it.each([
    ['/large', 10_000_000],
    ['/large', 100],
    ['/endless', 5_000_000],
  ])('ends as resource_limit: %s of more than %d bytes', async (path, maxBytes) => {
    const options = { ...full, format: 'text', timeout_ms: 45_000 } as const;
    const error = await capturing.failure(site.url(path), options, { maxBytes });
    expect([error.code, error.facts.phase]).toEqual(['resource_limit', 'render']);
    expect(error.message).toContain(String(maxBytes));
  });

  it('may be deep, or white space that is not shown', async () => {
    expect(await textOf('/deep')).toBe('deep');
    expect(await textOf('/spaces', full)).toBe('end');
  });
});
