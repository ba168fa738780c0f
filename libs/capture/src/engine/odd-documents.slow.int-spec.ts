import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing, type Captured, type Picture } from '../../../../test/support/capturing.js';
import { Site } from '../../../../test/support/site.js';
import type { CaptureOptions } from '../request/capture-options.js';

const answerAs =
  (type: string, body: string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type }).end(body);
  };
const html = (body: string): RequestListener => answerAs('text/html', body);
const run = (code: string): RequestListener => html(`<p>page<script>${code}</script>`);
const afterLoad = (code: string): RequestListener => run(`onload = () => setTimeout(() => { ${code} })`);
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><rect width="50" height="50"/></svg>';

/** Documents that lack parts of a usual page or have them in unusual ways. */
const ODD: Readonly<Record<string, RequestListener>> = {
  '/empty': html(''),
  '/root-removed': run('document.documentElement.remove()'),
  '/root-removed-later': afterLoad('document.documentElement.remove()'),
  '/body-removed': run('onload = () => document.body.remove()'),
  '/head-removed': run('document.head.remove()'),
  '/opened': afterLoad('document.open()'),
  '/opened-and-closed': afterLoad('document.open(); document.close()'),
  '/only-a-comment': afterLoad(
    `document.replaceChild(document.createComment('x'), document.documentElement)`,
  ),
  '/root-is-a-form': afterLoad(`
    const form = document.createElement('form');
    form.innerHTML = ['scrollHeight', 'append', 'innerText', 'textContent', 'style', 'querySelectorAll']
      .map((name) => '<input name=' + name + '>').join('');
    document.replaceChild(form, document.documentElement)`),
  '/root-is-svg': afterLoad(`document.documentElement.outerHTML;
    document.replaceChild(document.createElementNS('http://www.w3.org/2000/svg', 'svg'), document.documentElement)`),
  '/root-is-unknown': afterLoad(
    `document.replaceChild(document.createElementNS('urn:x', 'x'), document.documentElement)`,
  ),
  '/frameset': html(
    '<html><frameset cols="50%,50%"><frame src="/empty"><frame src="/empty"></frameset></html>',
  ),
  '/document.xml': answerAs('text/xml', '<?xml version="1.0"?><a><b>text</b></a>'),
  '/styled.xml': answerAs(
    'application/xml',
    '<?xml version="1.0"?><?xml-stylesheet href="/fixed.css" type="text/css"?><a><b>text</b></a>',
  ),
  '/fixed.css': answerAs('text/css', 'a { display: block } b { position: fixed; top: 0 }'),
  '/broken.xml': answerAs('text/xml', '<a><b></a>'),
  '/page.xhtml': answerAs(
    'application/xhtml+xml',
    '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>',
  ),
  '/image.svg': answerAs('image/svg+xml', SVG),
  '/image.gif': (_, response) => {
    const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    response.writeHead(200, { 'content-type': 'image/gif' }).end(pixel);
  },
  '/text.txt': answerAs('text/plain', 'text'),
  '/data.json': answerAs('application/json', '{}'),
  '/stopped': run('window.stop()'),
  '/stopped-before-its-body': html('<head><script>window.stop()</script></head><body>page'),
  '/given-up': html(
    '<script>document.open(); document.documentElement.remove(); window.stop(); window.close()</script>page',
  ),
  // The same, once it has loaded.
  '/given-up-later': afterLoad(
    'document.open(); document.documentElement?.remove(); window.stop(); window.close()',
  ),
  '/closed': run('window.close()'),
  '/prototypes-gone': run(`
    for (const name of ['Document', 'Element', 'Node', 'HTMLElement', 'Promise', 'Array', 'Boolean']) {
      Object.defineProperty(window, name, { get() { throw new Error('gone') } });
    }`),
};

/** Properties of documents and elements that our scripts use. */
const NAMES = [
  ...[
    'body',
    'head',
    'documentElement',
    'scrollingElement',
    'fonts',
    'readyState',
    'defaultView',
    'lastChange',
  ],
  ...['querySelector', 'querySelectorAll', 'createElementNS', 'adoptedStyleSheets', 'elementFromPoint'],
  ...['nodeType', 'localName', 'childNodes', 'matches', 'closest', 'contentDocument', 'assignedNodes'],
  ...['getAnimations', 'getElementsByTagName', 'hasChildNodes'],
  ...['scrollIntoView', 'getBoundingClientRect', 'checkVisibility', 'shadowRoot', 'contains', 'click'],
  ...['style', 'innerText', 'textContent', 'scrollHeight', 'scrollWidth', 'append', 'dispatchEvent'],
];
/** A page whose elements shadow all of them, of the document and of its form. */
const CLOBBERED = `<style>body { margin: 0 } #form { position: fixed; top: 0; width: 200px; height: 50px }
    #low { position: absolute; top: 2990px; height: 10px; width: 10px; background: #f00 } img, input { display: none }
  </style>
  <form id="form" onclick="document.title = 'clicked'">seen text ${NAMES.map((name) => `<input name="${name}">`).join('')}</form>
  <div id="low"></div>${NAMES.map((name) => `<img name="${name}">`).join('')}`;

/** Captures that run at the same time: most of one here is waiting for what never comes. */
const SLOTS = 3;

const pages = new Site({ ...ODD, '/clobbered': html(CLOBBERED) });
let capturing: Capturing;
beforeAll(async () => {
  await pages.open();
  capturing = await Capturing.open(SLOTS);
});
afterAll(() => Promise.all([capturing.close(), pages.close()]));

/** Options that change a page or wait for it, and that work without any element. */
const EVERYTHING: Partial<CaptureOptions> = {
  wait_until: 'auto',
  ready_timeout_ms: 500,
  wait_for_selector: '#none',
  wait_for_selector_state: 'hidden',
  wait_for_function: 'true',
  fail_if_text: 'no such text',
  css: 'b { color: red }',
  hide_selectors: ['#none'],
  mask_selectors: ['#none', 'b'],
  js: 'window.x = 1',
  scroll: true,
  sticky: 'hide',
  timeout_ms: 20_000,
};
const codes = (path: string, ...each: Partial<CaptureOptions>[]): Promise<string[]> =>
  Promise.all(
    each.map(async (options) => {
      const { code } = await capturing.failure(pages.url(path), { ready_timeout_ms: 500, ...options });
      return code;
    }),
  );

describe.each(Object.keys(ODD))('the document %s', (path) => {
  let picture: Promise<Picture>;
  let pdf: Promise<Captured>;

  beforeAll(() => {
    picture = capturing.picture(pages.url(path), { ...EVERYTHING, full_page: true });
    pdf = capturing.capture(pages.url(path), { ...EVERYTHING, format: 'pdf' });
    // Its own test reports a failure.
    for (const each of [picture, pdf]) each.catch(() => undefined);
  });

  it('is a picture of at least the window, whatever is done to it', async () => {
    const { width, height } = await picture;
    expect({ width, isWhole: height >= 800 }).toEqual({ width: 1_280, isWhole: true });
  });

  it('is a PDF', async () => {
    const { bytes } = await pdf;
    expect(Buffer.from(bytes).toString('latin1', 0, 5)).toBe('%PDF-');
  });

  it('is text', async () => {
    const { bytes } = await capturing.capture(pages.url(path), { ...EVERYTHING, format: 'text' });
    expect(Buffer.from(bytes).toString()).not.toMatch(/script|input/);
  });

  it('has neither texts nor elements that are not in it', async () => {
    const found = await codes(
      path,
      { fail_if_text_missing: 'no such text' },
      { selector: '#none' },
      { scroll_to_selector: '#none' },
      // A valid selector would be waited for.
      { click_selector: 'p:not-a-thing' },
    );
    expect(found).toEqual(['condition_failed', ...Array<string>(3).fill('selector_not_found')]);
  });
});

describe('a page whose elements have the names of properties', () => {
  const capture = (options: Partial<CaptureOptions>) => capturing.picture(pages.url('/clobbered'), options);

  it('is captured in full, with elements hidden, masked and detached', async () => {
    const changes: Partial<CaptureOptions> = { mask_selectors: ['#low'], sticky: 'top' };
    const picture = await capture({ ...EVERYTHING, ...changes, full_page: true });
    expect([picture.height, picture.colourAt(5, 2_995)]).toEqual([3_000, '000000']);
    expect((await capture({ hide_selectors: ['#low'] })).height).toBe(800);
  });

  it('is read as it is displayed', async () => {
    expect(await codes('/clobbered', { fail_if_text: 'seen text' })).toEqual(['condition_failed']);
    await capture({ fail_if_text_missing: 'seen text', wait_for_selector: '#form' });
    const { bytes } = await capturing.capture(pages.url('/clobbered'), { format: 'text' });
    expect(Buffer.from(bytes).toString()).toBe('seen text');
  });

  it('is clicked, scrolled and cut to an element', async () => {
    const { captured } = await capture({ click_selector: '#form' });
    expect(captured.facts.title).toBe('clicked');
    expect((await capture({ scroll_to_selector: '#low' })).colourAt(5, 795)).toBe('ff0000');
    const { width, height } = await capture({ selector: '#form' });
    expect({ width, height }).toEqual({ width: 200, height: 50 });
  });
});
