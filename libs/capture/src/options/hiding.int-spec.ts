import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { Capturing, type Picture } from '../../../../test/support/capturing.js';
import { filtersOf } from '../../../../test/support/filters.js';
import { IsolatingBrowser } from '../../../../test/support/isolating-browser.js';
import { Site } from '../../../../test/support/site.js';
import type { CaptureOptions } from '../request/capture-options.js';

/** What the cosmetic rules of filter lists hide. An advertisement is a red box of 50 × 50 px above a green one. */

const NEWS = 'news.localhost';
const OTHER = 'other.localhost';
const RED = 'ff0000';
const GREEN = '00ff00';

const page = (ad: string, extra = ''): string => `<!doctype html>
  <style>body { margin: 0 } .red, .green { width: 50px; height: 50px; background: #f00 } .green { background: #0f0 }</style>
  ${ad}<div class="green"></div>${extra}`;
const ad = (attributes: string): string => `<div ${attributes}></div>`;
const html =
  (body: () => string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(body());
  };
const frame = (attributes: string): string =>
  `<iframe ${attributes} style="display: block; border: 0; width: 50px; height: 50px"></iframe>`;

const site: Site = new Site({
  '/generic-class': page(ad('class="red ad-box"')),
  '/generic-id': page(ad('class="red" id="sponsor"')),
  '/generic-link': page('<a class="red" style="display: block" href="https://click.example/1"></a>'),
  '/of-host': page(ad('class="red promo"')),
  '/shown-again': page(ad('class="red wanted"')),
  '/kept': page(ad('class="red"')),
  '/important': page(
    ad('class="red ad-box" id="x"'),
    '<style>html body div#x.red.ad-box { display: block !important }</style>',
  ),
  '/inline': page(ad('class="red ad-box" style="display: block !important"')),
  '/late': page(
    '<div id="slot"></div>',
    `<script>setTimeout(() => { slot.className = 'red late-ad' }, 300)</script>`,
  ),
  '/again': page(
    ad('class="red ad-box"'),
    `<style>html body .red.ad-box { display: block !important }</style><script>setInterval(() => {
      for (const each of document.querySelectorAll('.ad-box')) each.remove();
      document.body.insertAdjacentHTML('afterbegin', '<div class="red ad-box"></div>');
    }, 10)</script>`,
  ),
  '/fights': page(
    ad('class="red ad-box"'),
    `<style>html body .red.ad-box { display: block !important }</style><script>setInterval(() => {
      for (const each of document.querySelectorAll('.ad-box')) each.remove();
      document.body.insertAdjacentHTML('afterbegin', '<div class="red ad-box" style="display: block !important"></div>');
      document.adoptedStyleSheets = [];
    }, 10)</script>`,
  ),
  '/scrolled': page(
    '',
    `<div style="height: 3000px"></div><div id="slot"></div><div class="green"></div>
     <script>addEventListener('scroll', () => { slot.className = 'red late-ad' }, { once: true })</script>`,
  ),
  '/shadow': page(
    '<div id="host"></div>',
    `<script>host.attachShadow({ mode: 'open' }).innerHTML =
      '<style>div { width: 50px; height: 50px; background: #f00 }</style><div class="ad-box"></div>'</script>`,
  ),
  '/same-frame': html(() => page(frame(`src="${site.url('/framed', NEWS)}"`))),
  '/other-frame': html(() => page(frame(`src="${site.url('/framed', OTHER)}"`))),
  '/nested-frame': html(() => page(frame(`src="${site.url('/around', OTHER)}"`))),
  '/srcdoc-frame': page(
    frame(
      `srcdoc="<style>body { margin: 0 } div { height: 50px; background: #f00 }</style><div class='promo'></div>"`,
    ),
  ),
  '/around': html(() => `<style>body { margin: 0 }</style>${frame(`src="${site.url('/framed', NEWS)}"`)}`),
  '/framed': page(ad('class="red ad-box"')),
  '/clobbered': page(
    `<form class="ad-box"><input name="style"><input name="getAttribute"><input name="className"></form>${ad('class="red ad-box"')}`,
    '<img name="adoptedStyleSheets"><img name="createTreeWalker"><img name="body">',
  ),
  '/many': page(
    ad('class="red ad-box"'),
    `<script>
      const parts = Array.from({ length: 100000 }, (_, i) => '<i class="c' + i + '" id="i' + i + '"></i>');
      document.body.insertAdjacentHTML('beforeend', '<div hidden>' + parts.join('') + '</div>');
    </script>`,
  ),
  '/xml': (_, response) => {
    response.writeHead(200, { 'content-type': 'image/svg+xml' })
      .end(`<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><rect width="50" height="50" fill="#0f0"/>
        <rect class="ad-box" width="50" height="50" fill="#f00"/></svg>`);
  },
});
const LISTS = filtersOf({
  ads: `##.ad-box\n###sponsor\n##.late-ad\n##a[href^="https://click.example/"]\n${NEWS}##.promo\n##.wanted\n${NEWS}#@#.wanted`,
});
const browser = new IsolatingBrowser();
let capturing: Capturing;

beforeAll(async () => {
  await site.open();
  // Frames of other sites run in processes of their own.
  capturing = await Capturing.open(1, { settings: await browser.open() });
});
afterAll(async () => {
  await capturing.close();
  await Promise.all([site.close(), browser.close()]);
});

function picture(path: string, options: Partial<CaptureOptions> = {}): Promise<Picture> {
  return capturing.picture(
    site.url(path, NEWS),
    { block_ads: true, viewport_width: 200, viewport_height: 200, ...options },
    { filters: () => LISTS },
  );
}

describe('what the lists hide', () => {
  it.each([
    ['by a class', '/generic-class'],
    ['by an id', '/generic-id'],
    ['by a link', '/generic-link'],
    ['by a rule of the host', '/of-host'],
    ['against important rules of the page', '/important'],
    ['against an important style of the element', '/inline'],
    ['in an open shadow root', '/shadow'],
    ['although names on the page shadow properties', '/clobbered'],
    ['on a page with 100,000 classes', '/many'],
    ['in a document that is no HTML', '/xml'],
  ])('is hidden %s', async (_, path) => {
    expect((await picture(path)).colourAt(25, 25)).toBe(GREEN);
  });

  it.each(['/same-frame', '/other-frame', '/nested-frame'])('is hidden in a frame: %s', async (path) => {
    expect((await picture(path, { block_ads: false })).colourAt(25, 25)).toBe(RED);
    expect((await picture(path)).colourAt(25, 25)).toBe(GREEN);
  });

  it('is hidden in a frame that belongs to the document around it', async () => {
    expect((await picture('/srcdoc-frame', { block_ads: false })).colourAt(25, 25)).toBe(RED);
    expect((await picture('/srcdoc-frame')).colourAt(25, 25)).toBe('ffffff');
  });

  it('is shown without the option, where a list shows it again, and where no rule fits', async () => {
    expect((await picture('/generic-class', { block_ads: false })).colourAt(25, 25)).toBe(RED);
    expect(
      (await picture('/generic-class', { block_ads: false, block_trackers: true })).colourAt(25, 25),
    ).toBe(RED);
    expect((await picture('/shown-again')).colourAt(25, 25)).toBe(RED);
    expect((await picture('/kept')).colourAt(25, 25)).toBe(RED);
  });

  it('is hidden without JavaScript', async () => {
    expect((await picture('/generic-class', { javascript: false })).colourAt(25, 25)).toBe(GREEN);
  });

  it('is hidden when the page adds it during a wait, or while it is scrolled', async () => {
    expect((await picture('/late', { delay_ms: 800 })).colourAt(25, 25)).toBe(GREEN);
    const whole = await picture('/scrolled', { full_page: true });
    expect(whole.height).toBe(50 + 3_000 + 50);
    expect(whole.colourAt(25, 3_075)).toBe(GREEN);
  });

  it('stays hidden on a page that creates it again all the time', async () => {
    expect((await picture('/again', { delay_ms: 100 })).colourAt(25, 25)).toBe(GREEN);
  });

  it('does not hold up a capture of a page that fights for it', async () => {
    const { facts } = (await picture('/fights', { delay_ms: 100 })).captured;
    expect(facts).toMatchObject({ complete: true, httpStatus: 200 });
  });

  it('does not change what the page sees of its own style sheets and globals', async () => {
    const { facts } = await capturing.capture(
      site.url('/generic-class', NEWS),
      {
        block_ads: true,
        delay_ms: 300,
        js: `document.title = ['filterSheet', 'shadowRoots'].filter((name) => name in window).join() || 'nothing'`,
      },
      { filters: () => LISTS },
    );
    expect(facts.title).toBe('nothing');
  });
});
