import sharp from 'sharp';
import { extractText } from 'unpdf';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Site } from '../../../../test/support/site.js';
import type { Visit } from '../pipeline/family.js';
import { Visits } from './visits.conformance.js';
import { documentTitle, evaluate, evaluateOn } from '../../../../test/support/browser.js';

const PAGE = `<base href="https://elsewhere.example/"><style>* { margin: 0 } body { background: white }</style>
<div id="box" style="width:100px;height:50px;background:lime;opacity:.5">secret</div>
<img id="picture" style="width:100px;height:50px;background:red">
<p id="late"></p><div id="empty"></div><div style="height:5000px"></div><h2 id="below">below</h2>
<button id="open" onclick="document.title = 'clicked'">open</button>
<button id="gone" style="display:none" onclick="document.title = 'clicked unseen'">gone</button>
<button class="two" style="visibility:hidden" onclick="document.title = 'clicked unseen'">two</button>
<button class="two" onclick="document.title = 'clicked seen'">two</button>
<button id="dead" disabled onclick="document.title = 'clicked dead'">dead</button>
<div style="width:100px"><span style="visibility:hidden">mmmmmm</span><a id="broken" onclick="document.title = 'clicked link'">ww wwwwwwwwww</a></div>
<input id="drawn" type="checkbox" style="opacity:0" onclick="document.title = 'clicked box'">
<div id="covered-place" style="position:relative;width:90px;height:30px">
  <button id="covered" onclick="document.title = 'clicked below'">covered</button>
  <div style="position:absolute;inset:0" onclick="document.title = 'clicked cover'"></div></div>`;

const LIME = 'width: 100px; height: 50px; background: lime';
const SECRET = `<style>body { margin: 0 }</style><div class="s" style="${LIME}; height: 100px">secret</div>`;

const site = new Site({
  '/': PAGE,
  '/strict': (_, response) => {
    response.setHeader('content-security-policy', "default-src 'none'");
    response.setHeader('content-type', 'text/html');
    response.end('<p id="box">strict</p>');
  },
  '/links': '<a id="link" href="/next">next</a>',
  '/secret': SECRET,
  '/framing': (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        `<body style="margin: 0"><iframe style="border: 0" src="${site.url('/secret', 'localhost')}"></iframe>`,
      ),
  '/shadow': `<body style="margin: 0"><div><template shadowrootmode="open">${SECRET}</template></div>`,
  '/stubborn': `<body style="margin: 0"><div class="s" style="display: contents"><div style="${LIME}">a</div></div>
    <div class="s" style="${LIME}; filter: none !important">b</div>`,
  '/next': '<title>next page</title><p>next',
});
const visits = new Visits();

beforeAll(async () => {
  await Promise.all([site.open(), visits.open()]);
});

afterAll(async () => {
  await Promise.all([site.close(), visits.close()]);
});

const titleOf = ({ page }: Visit) => documentTitle(page);
const styleOf =
  (selector: string, property: 'color' | 'display') =>
  ({ page }: Visit) =>
    evaluateOn(page, selector, (node, name) => getComputedStyle(node)[name], property);

function visit<T>(options: Record<string, unknown>, read: (visit: Visit) => Promise<T>, path = '/') {
  return visits.readFrom({ url: site.url(path), ...options }, read);
}

/** The colours of the picture of an area, as `r,g,b`. */
async function coloursAt({ page }: Visit, clip: { x: number; y: number; width: number; height: number }) {
  const { data, info } = await sharp(await page.screenshot({ clip }))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixels = Array.from({ length: info.width * info.height }, (_, i) =>
    data.subarray(i * 3, i * 3 + 3).join(','),
  );
  return new Set(pixels);
}

describe('page changes', () => {
  it('do not change the page by default', async () => {
    expect(await visit({}, ({ page }) => evaluate(page, () => document.adoptedStyleSheets.length))).toBe(0);
  });

  it('add css, also where the page forbids other styles', async () => {
    const css = '#box { color: rgb(1, 2, 3) }';
    expect(await visit({ css }, styleOf('#box', 'color'))).toBe('rgb(1, 2, 3)');
    expect(await visit({ css }, styleOf('#box', 'color'), '/strict')).toBe('rgb(1, 2, 3)');
    expect(await visit({ css, javascript: false }, styleOf('#box', 'color'))).toBe('rgb(1, 2, 3)');
  });

  it('keep the other styles when the css has a fault', async () => {
    const css = '} broken { ; #box { color: red } p { color: rgb(1, 2, 3) } } /*';
    expect(await visit({ css, hide_selectors: ['#picture'] }, styleOf('#picture', 'display'))).toBe('none');
  });

  it('hide every match, also those added later', async () => {
    const options = { hide_selectors: ['#box, #below', '.new'] };
    const shown = await visit(options, ({ page }) =>
      evaluate(page, () => {
        const added = document.createElement('p');
        added.className = 'new';
        document.body.append(added);
        const nodes = [...document.querySelectorAll('#box, #below, .new, #picture')];
        return nodes.map((node) => getComputedStyle(node).display);
      }),
    );
    expect(shown).toEqual(['none', 'inline', 'none', 'none']);
  });

  it('cover masked elements of any kind with solid black', async () => {
    const options = { mask_selectors: ['#box', '#picture'] };
    await visit(options, async (visited) => {
      expect(await coloursAt(visited, { x: 0, y: 0, width: 100, height: 50 })).toEqual(new Set(['0,0,0']));
      const picture = { x: 0, y: 50, width: 100, height: 50 };
      expect(await coloursAt(visited, picture)).toEqual(new Set(['0,0,0']));
      expect(await coloursAt(visited, { x: 101, y: 0, width: 50, height: 100 })).toEqual(
        new Set(['255,255,255']),
      );
    });
  });

  it.each([
    ['a frame of another site', '/framing'],
    ['an open shadow root', '/shadow'],
    ['an element without a box, and one with an important filter of its own', '/stubborn'],
  ])('cover what is in %s', async (_, path) => {
    const area = { x: 0, y: 0, width: 100, height: 100 };
    const coloursWith = (options: Record<string, unknown>) =>
      visit(options, (visited) => coloursAt(visited, area), path);
    expect(await coloursWith({ mask_selectors: ['.s'] })).toEqual(new Set(['0,0,0']));
    expect(await coloursWith({ hide_selectors: ['.s'] })).toEqual(new Set(['255,255,255']));
  });

  it('leave no text below a mask in a PDF', async () => {
    const textOf = async ({ cdp }: Visit) => {
      const { data } = await cdp.send('Page.printToPDF');
      return (await extractText(new Uint8Array(Buffer.from(data, 'base64')), { mergePages: true })).text;
    };
    expect(await visit({}, textOf)).toContain('secret');
    const masked = await visit({ mask_selectors: ['#box'] }, textOf);
    expect(masked).not.toContain('secret');
    expect(masked).toContain('below');
  });

  it('show elements that are not masked', async () => {
    await visit({ mask_selectors: [] }, async (visited) => {
      expect(await coloursAt(visited, { x: 0, y: 0, width: 100, height: 50 })).not.toContain('0,0,0');
    });
  });

  it('await js', async () => {
    const js = "await new Promise((done) => setTimeout(done, 30)); document.title = 'changed'; return {}";
    expect(await visit({ js }, titleOf)).toBe('changed');
    expect(await visit({ js: "document.title = 'changed'" }, titleOf, '/strict')).toBe('changed');
  });

  it('run js in a page without scripts of its own', async () => {
    expect(await visit({ js: "document.title = 'changed'", javascript: false }, titleOf)).toBe('changed');
  });

  it.each([
    ['nowhere.to.be.found()', 'js: ReferenceError: nowhere is not defined'],
    ["throw new TypeError('no\\nstack')", 'js: TypeError: no'],
    ["await Promise.reject('plain')", 'js: plain'],
    ['let let = 1', /^js: SyntaxError/],
    ['throw undefined', /^js: /],
  ])('fail with the message when js is %s', async (js, detail) => {
    await expect(visit({ js }, titleOf)).rejects.toMatchObject({
      code: 'script_failed',
      message: typeof detail === 'string' ? detail : expect.stringMatching(detail),
    });
  });

  it('wait for the page that js opens', async () => {
    const js = `location.href = '${site.url('/next')}'`;
    expect(await visit({ js }, titleOf)).toBe('next page');
    const waiting = `${js}; await new Promise(() => {})`;
    expect(await visit({ js: waiting }, titleOf)).toBe('next page');
  });

  it.each([
    ['#open', 'clicked'],
    ['.two', 'clicked seen'],
    ['#broken', 'clicked link'],
    ['#drawn', 'clicked box'],
    ['#covered', 'clicked below'],
  ])('click %s', async (click_selector, title) => {
    expect(await visit({ click_selector }, titleOf)).toBe(title);
  });

  it.each([
    [
      '#gone',
      "setTimeout(() => (document.querySelector('#gone').style.display = ''), 150)",
      'clicked unseen',
    ],
    ['#dead', "setTimeout(() => (document.querySelector('#dead').disabled = false), 150)", 'clicked dead'],
    [
      '#open',
      `document.querySelector('#open').animate([{ translate: '-300px 0' }, { translate: '0 0' }], 300)`,
      'clicked',
    ],
  ])('wait for %s as a user would', async (click_selector, js, title) => {
    expect(await visit({ click_selector, js }, titleOf)).toBe(title);
  });

  it('click an element that never stops moving', async () => {
    const js = `document.querySelector('#open').animate([{ scale: '1' }, { scale: '1.1 1.2' }], { duration: 300, iterations: Infinity })`;
    expect(await visit({ click_selector: '#open', js }, titleOf)).toBe('clicked');
  });

  it.each([
    ['#gone', 'click_selector: no element is displayed that matches #gone'],
    ['#empty', 'click_selector: no element is displayed that matches #empty'],
    ['#dead', 'click_selector: the element is disabled that matches #dead'],
    ['#missing', 'click_selector: nothing on the page matches #missing'],
  ])('fail when a user could not click %s', async (click_selector, message) => {
    const options = { click_selector, timeout_ms: 1_000 };
    await expect(visit(options, titleOf)).rejects.toMatchObject({ code: 'selector_not_found', message });
  });

  it('wait for the page that a click opens', async () => {
    expect(await visit({ click_selector: '#link' }, titleOf, '/links')).toBe('next page');
  });

  it('hide elements also on the page that a click opens', async () => {
    const options = { click_selector: '#link', hide_selectors: ['p'] };
    expect(await visit(options, styleOf('p', 'display'), '/links')).toBe('none');
  });

  it('click an element that js has added', async () => {
    const js = "document.querySelector('#late').onclick = () => { document.title = 'late' }";
    const options = { js, css: '#late { height: 10px }', click_selector: '#late' };
    expect(await visit(options, titleOf)).toBe('late');
  });

  it('scroll to an element, and not without being asked', async () => {
    const top = ({ page }: Visit) => evaluateOn(page, '#below', (node) => node.getBoundingClientRect().top);
    const scrolled = await visit(
      { scroll_to_selector: '#below', css: 'body { padding-bottom: 3000px }' },
      top,
    );
    expect(Math.abs(scrolled)).toBeLessThan(1);
    expect(await visit({}, top)).toBeGreaterThan(5_000);
  });

  it.each([
    ['scroll_to_selector', '#missing'],
    ['click_selector', 'p:not-a-thing'],
    ['scroll_to_selector', 'p:not-a-thing'],
    ['hide_selectors', 'p:not-a-thing'],
    ['mask_selectors', 'p:not-a-thing'],
  ])('name %s when it does not find %s', async (option, selector) => {
    const value = option.endsWith('s') ? [selector] : selector;
    await expect(visit({ [option]: value }, titleOf)).rejects.toMatchObject({
      code: 'selector_not_found',
      message: expect.stringContaining(option),
    });
  });

  it('succeed when there is nothing to hide or to mask', async () => {
    const options = { hide_selectors: ['#missing'], mask_selectors: ['#missing'] };
    expect(await visit(options, titleOf)).toBe('');
  });
});
