import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nothingMissing, type MissingReport } from '@app/capture';
import { Capturing } from '../../../../../test/support/capturing.js';
import { Site } from '../../../../../test/support/site.js';

/** U+12F90 to U+12F92, of a script that hardly any font has. */
const CYPRO_MINOAN = '\u{12f90}\u{12f91}\u{12f92}';
const SVG = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path d='M0 0h9v9z'/></svg>";
/** A font for the letter X alone. Its cmap is changed, so that it is the icon U+E123, and its box of missing letters is empty. */
const ICONS = readFileSync(new URL('../../../../../test/site/ready/box.ttf', import.meta.url));
const CHANGES = { 294: 0xe123, 300: 0xe123, 304: 0x1ede, 484: 0x12 };
for (const [at, value] of Object.entries(CHANGES)) ICONS.writeUInt16BE(value, Number(at));
const FRAME = 'width="300" height="80"';

let capturing: Capturing;
const site = new Site({
  '/whole': `<meta charset="utf-8"><p>“Latin” – русский, ελληνικά</p><p hidden>${CYPRO_MINOAN}</p>
    <img src="/vector.svg" width="40"><img src="data:image/svg+xml,${encodeURIComponent(SVG)}">
    <iframe src="/inside" ${FRAME}></iframe><iframe srcdoc="<p>in" ${FRAME}></iframe><iframe ${FRAME}></iframe>
    <img src="/gone.png" hidden><img src="/gone.png?1" width="1" height="1"><img src="/gone.png?2" style="visibility: hidden">
    <iframe src="/gone-too" hidden></iframe><iframe src="/gone-too?1" width="1" height="1"></iframe>`,
  '/letters': `<meta charset="utf-8"><p>${CYPRO_MINOAN}</p><p>${CYPRO_MINOAN} \u{100123}</p><div id="shadow"></div>
    <script>document.querySelector('#shadow').attachShadow({ mode: 'open' }).innerHTML = '<p>\u{12f93}</p>'</script>`,
  '/icons': `<style>@font-face { font-family: icons; src: url(/icons.ttf) } i { font: 20px icons }</style><i>&#xe123;</i>`,
  '/icons-gone': `<style>@font-face { font-family: icons; src: url(/gone.ttf) } i { font: 20px icons }</style><i>&#xe123;</i>`,
  '/icons.ttf': (_, response) => void response.writeHead(200, { 'content-type': 'font/ttf' }).end(ICONS),
  '/images': `<img src="/gone.png#a" alt="A boat"><img src="/gone.png#a" width="90" height="90"><img src="/text" alt="">
    <img src="data:image/png;base64,AAAA" width="20" height="20"><img src="/hang.png" width="30" height="30">
    <p style="margin-top: 2000px" id="below"><img src="/below.png" alt="below"></p>`,
  '/frames': `<iframe src="/inside" ${FRAME}></iframe><iframe src="/gone-too#top" ${FRAME}></iframe>
    <iframe src="/refused" ${FRAME}></iframe><iframe src="/hang-up" ${FRAME}></iframe><iframe src="/away" ${FRAME}></iframe>
    <iframe src="/moved" ${FRAME}></iframe><iframe src="/empty" ${FRAME}></iframe>`,
  '/hanging-frame': `<p>Soon</p><iframe ${FRAME}></iframe>
    <script>addEventListener('load', () => { document.querySelector('iframe').src = '/hang' })</script>`,
  '/inside': '<p>A page in a page',
  '/refused': (_, response) => void response.writeHead(200, { 'x-frame-options': 'DENY' }).end('<p>Refused'),
  '/away': (_, response) => void response.writeHead(302, { location: '/gone-too' }).end(),
  '/moved': (_, response) => void response.writeHead(302, { location: '/inside' }).end(),
  '/empty': (_, response) => void response.writeHead(204).end(),
  '/hang-up': (request) => void request.socket.destroy(),
  '/hang': () => undefined,
  '/hang.png': () => undefined,
  '/text': 'This is no picture.',
  '/vector.svg': (_, response) => void response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(SVG),
});

beforeAll(async () => {
  await site.open();
  capturing = await Capturing.open();
});
afterAll(() => Promise.all([capturing.close(), site.close()]));

async function missingOn(path: string, options = {}): Promise<MissingReport> {
  return (await capturing.capture(site.url(path), { viewport_height: 600, ...options })).facts.missing;
}

const urls = (...paths: string[]) => paths.map((path) => ({ url: site.url(path) }));

describe('a page', () => {
  it('misses nothing that is hidden, tiny or there', async () => {
    expect(await missingOn('/whole')).toEqual(nothingMissing());
    expect(await missingOn('/whole', { format: 'pdf' })).toEqual(nothingMissing());
  });

  it('misses letters that no font has, by script', async () => {
    const missing = {
      ...nothingMissing(),
      glyphs: [
        { script: 'Cypro Minoan', count: 7 },
        { script: 'Private use', count: 1 },
      ],
    };
    // The second time, what the machine has is known.
    for (const options of [{}, {}, { full_page: true }])
      expect(await missingOn('/letters', options)).toEqual(missing);
  });

  it('misses icons only when their font has not loaded', async () => {
    expect((await missingOn('/icons')).glyphs).toEqual([]);
    expect((await missingOn('/icons-gone')).glyphs).toEqual([{ script: 'Private use', count: 1 }]);
  });

  it('misses images that are broken or still loading, in the part that the file shows', async () => {
    const inWindow = [...urls('/gone.png#a', '/text'), { url: 'data:image/png' }, ...urls('/hang.png')];
    const options = { wait_until: 'domcontentloaded' as const, delay_ms: 300 };
    expect((await missingOn('/images', options)).images).toEqual(inWindow);
    expect((await missingOn('/images', { ...options, selector: '#below' })).images).toEqual(
      urls('/below.png'),
    );
    const clip = { clip_x: 0, clip_y: 1_500, clip_width: 500, clip_height: 630 };
    expect((await missingOn('/images', { ...options, ...clip })).images).toEqual(urls('/below.png'));
    const whole = { ...options, format: 'pdf' as const };
    expect((await missingOn('/images', whole)).images).toEqual([...inWindow, ...urls('/below.png')]);
  });

  it('misses frames that did not load', async () => {
    expect(await missingOn('/frames')).toEqual({
      ...nothingMissing(),
      frames: urls('/gone-too#top', '/refused', '/hang-up', '/away'),
    });
    const hanging = await missingOn('/hanging-frame', { wait_until: 'load', delay_ms: 100 });
    expect(hanging.frames).toEqual(urls('/hang'));
  });

  it('does not miss what an option blocks, nor glyphs in a text', async () => {
    const blocked = await missingOn('/frames', {
      block_urls: ['*/gone-too*', '*/refused', '*/hang-up', '*/away'],
    });
    expect(blocked).toEqual(nothingMissing());
    expect((await missingOn('/images', { block_resource_types: ['image'] })).images).toEqual([
      { url: 'data:image/png' },
    ]);
    expect(await missingOn('/letters', { format: 'text' })).toEqual(nothingMissing());
  });
});

describe('an incomplete capture', () => {
  it('says why', async () => {
    const options = { wait_for_selector: '#never', timeout_ms: 6_000, on_timeout: 'capture' as const };
    const { facts } = await capturing.capture(site.url('/inside'), options);
    expect(facts).toMatchObject({ complete: false, missing: { reasons: ['wait_timed_out'], sections: 0 } });
  });
});
