import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import type { BrowserPoolService } from '@app/browser';
import { Site } from './site.js';

/** A font whose X is a solid box. */
const FONT = readFileSync(new URL('../site/ready/box.ttf', import.meta.url));

const reply =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type, ...headers }).end(body);
  };
const html = (body: string): RequestListener => reply('text/html; charset=utf-8', body);
const css = (body: string): RequestListener => reply('text/css', body, { 'cache-control': 'max-age=60' });
const picture = (colour: string, size = 40): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"><rect width="100%" height="100%" fill="${colour}"/></svg>`;
const svg = (colour: string, size?: number): RequestListener => reply('image/svg+xml', picture(colour, size));

/** Everything that an HTML file does not say by itself, as boxes side by side. */
const EVERYTHING = `<!doctype html><html><head><base href="/deep/"><title>Everything — ä</title>
<meta charset="windows-1252"><meta http-equiv="Content-Security-Policy" content="img-src 'self' data: blob:">
<link rel="stylesheet" href="sheet.css" crossorigin>
<link rel="stylesheet" href="changed.css" id="linked"><link rel="stylesheet" href="off.css" id="off">
<style>
  @import "/deep/imported.css?style";
  @font-face { font-family: Box; src: url(box.ttf) }
  body { margin: 8px; font: 14px/1.2 monospace }
  .cell { display: inline-block; width: 60px; height: 44px; margin: 2px; overflow: hidden; vertical-align: top; outline: 1px solid #ccc }
  .cell > img, .cell > canvas, .cell > video, .cell > svg { display: block; width: 40px; height: 40px }
  .natural > img { width: auto; height: auto }
  iframe, object { width: 60px; height: 44px; border: 0 }
  .font { font: 40px Box; color: teal }
  input, select, textarea { width: 50px; box-sizing: border-box; outline: none }
</style><style id="inserted"></style><style id="disabled">.cell { outline-color: red !important }</style></head>
<body background="body.svg" style="background-size: 8px">
<div class="cell sheet">a</div><div class="cell imported">b</div><div class="cell inserted">c</div><div class="cell adopted">d</div>
<div class="cell linked">e</div><div class="cell nested"><i>f</i></div><div class="cell" style="background-image: url(attribute.svg)">g</div>
<div class="cell" id="open">slotted</div><div class="cell" id="closed"></div><div class="cell"><x-closed></x-closed></div>
<div class="cell"><template shadowrootmode="open"><style>b { background: url(/deep/declared.svg) }</style><b>declared</b></template></div>
<div class="cell font">X</div><div class="cell"><img src="image.svg"></div>
<div class="cell natural"><img src="none.svg" srcset="one.svg 1x, two.svg 0.5x, none.svg 4x"></div>
<div class="cell natural"><picture><source srcset="wide.svg 80w" sizes="40px"><img src="none.svg"></picture></div>
<div class="cell"><img id="blob"></div><div class="cell"><input type="image" src="input.svg" style="width: 40px"></div>
<div class="cell"><svg><image href="inside.svg" width="40" height="40"/></svg></div>
<div class="cell"><svg fill="url(#shade)"><linearGradient id="shade"><stop stop-color="lime"/></linearGradient><rect width="40" height="40"/></svg></div>
<div class="cell"><svg><use href="sprite.svg#icon" x="4" y="4" width="32" height="32"/></svg></div>
<div class="cell"><video poster="poster.svg"></video></div><div class="cell"><canvas id="canvas" width="40" height="40"></canvas></div>
<div class="cell"><input id="text" value="old"></div><div class="cell"><input type="password" id="password" value="initial"></div>
<div class="cell"><input type="checkbox" id="box"><input type="radio" id="radio"><input type="checkbox" checked id="cleared"></div>
<div class="cell"><select id="select"><option>one<option>two</select></div><div class="cell"><textarea id="area">old</textarea></div>
<div class="cell"><details id="details"><summary>s</summary>open</details></div>
<div class="cell"><pre style="margin: 0">

pre</pre></div><div class="cell masked"><b>secret</b><img src="secret.svg"></div>
<div class="cell"><iframe src="/frame"></iframe></div><div class="cell"><iframe id="foreign"></iframe></div>
<div class="cell"><iframe srcdoc="<style>@import '/deep/imported.css?doc'</style><b class=imported>srcdoc</b>"></iframe></div>
<div class="cell"><iframe sandbox srcdoc="<b style='background: lime'>sandboxed</b>"></iframe></div>
<div class="cell"><iframe id="written"></iframe></div><div class="cell"><object data="object.svg"></object></div>
<noscript>no scripts</noscript><a href="#top" id="hash">hash</a><a href="page?a=1&b=2" ping="/ping">link</a>
<form name="form" action=""><input name="attributes" hidden><input name="childNodes" hidden><input name="localName" hidden></form>
<dialog id="dialog" style="width: 200px"><p>dialog</p></dialog><div id="pop" popover style="inset: auto 10px 10px auto; margin: 0">popover</div>
<script>
  const by = (id) => document.getElementById(id);
  const sheet = (text) => { const made = new CSSStyleSheet(); made.replaceSync(text); return made };
  by('inserted').sheet.insertRule('.inserted { background: url(inserted.svg) }');
  by('linked').sheet.insertRule('.linked { background: url(linked.svg) }');
  by('off').sheet.disabled = by('disabled').sheet.disabled = true;
  document.adoptedStyleSheets = [sheet('.adopted { background: url(adopted.svg) }')];
  const open = by('open').attachShadow({ mode: 'open', delegatesFocus: true, clonable: true });
  open.innerHTML = '<style>b { color: red }</style><link rel="stylesheet" href="/deep/shadow.css"><b><slot></slot></b><x-inner></x-inner>';
  open.adoptedStyleSheets = [sheet(':host { background: url(/deep/host.svg) }')];
  open.querySelector('x-inner').attachShadow({ mode: 'open' }).innerHTML = '<u>inner</u>';
  const closed = by('closed').attachShadow({ mode: 'closed' });
  closed.innerHTML = '<b style="background: yellow">closed</b><x-deep></x-deep>';
  closed.querySelector('x-deep').attachShadow({ mode: 'closed' }).innerHTML = '<i style="color: blue">deep</i>';
  customElements.define('x-closed', class extends HTMLElement {
    constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<b style="color: green">custom</b>' }
  });
  by('canvas').getContext('2d').fillRect(5, 5, 30, 30);
  by('text').value = 'typed'; by('password').value = 'hunter2'; by('area').value = '\\n"<&typed';
  by('box').checked = by('radio').checked = true; by('cleared').checked = false; by('select').value = 'two';
  by('details').open = true; by('dialog').showModal(); by('pop').showPopover(); document.activeElement.blur();
  by('foreign').src = location.origin.replace('127.0.0.1', 'localhost') + '/frame';
  by('written').contentDocument.write('<p style="background: orange">written'); by('written').contentDocument.close();
  by('blob').src = URL.createObjectURL(new Blob(['${picture('brown')}'], { type: 'image/svg+xml' }));
</script></body></html>`;

/** Pages whose saved files are compared with them. */
export const savedSite = new Site({
  '/everything': html(EVERYTHING),
  '/frame':
    html(`<!doctype html><style>body { margin: 0; background: url(framed.svg) }</style><p class="imported">frame</p>
    <iframe srcdoc="<b style='background: pink'>inner</b>" style="width: 50px; height: 20px; border: 0"></iframe>
    <script>const made = new CSSStyleSheet(); made.replaceSync('p { color: white; margin: 0 }'); document.adoptedStyleSheets = [made]</script>`),
  '/deep/sheet.css': css('@import url("imported.css"); .sheet { background: url("sheet.svg") }'),
  '/deep/imported.css': css('.imported { background: url(imported.svg) }'),
  '/deep/imported.css?style': css('.imported { color: white }'),
  '/deep/imported.css?doc': css('.imported { color: red }'),
  '/deep/changed.css': css('.linked { color: white }'),
  '/deep/off.css': css('.cell { outline-color: blue !important }'),
  '/deep/shadow.css': css('u { color: purple }'),
  '/deep/box.ttf': reply('font/ttf', FONT, { 'access-control-allow-origin': '*' }),
  '/deep/sprite.svg': reply(
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="icon" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5" fill="crimson"/></symbol></svg>',
  ),
  ...Object.fromEntries(
    Object.entries({
      sheet: 'gold',
      imported: 'navy',
      inserted: 'khaki',
      adopted: 'plum',
      linked: 'maroon',
      body: '#fffff0',
      attribute: 'aqua',
      declared: 'tan',
      host: 'bisque',
      image: 'red',
      one: 'coral',
      input: 'olive',
      inside: 'indigo',
      poster: 'salmon',
      object: 'sienna',
      secret: 'black',
    }).map(([name, colour]) => [`/deep/${name}.svg`, svg(colour, name === 'body' ? 8 : 40)]),
  ),
  '/deep/two.svg': svg('cyan', 20),
  '/deep/wide.svg': svg('violet', 80),
  '/framed.svg': svg('slategray'),
});

/** Height of the pictures that are compared. */
export const PICTURE_HEIGHT = 3_000;

/** Opens an archive without any network, and takes a picture of it. */
export async function pictureOfArchive(pool: BrowserPoolService, bytes: Uint8Array): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'archive-'));
  try {
    const file = path.join(folder, 'page.mhtml');
    await writeFile(file, bytes);
    // The browser may run as another user.
    await chmod(folder, 0o755);
    return await pool.withPage(AbortSignal.timeout(30_000), async ({ page, cdp }) => {
      await page.setViewport({ width: 1280, height: 800 });
      await page.goto(pathToFileURL(file).href);
      const { cssContentSize } = await cdp.send('Page.getLayoutMetrics');
      const clip = { ...cssContentSize, height: Math.min(cssContentSize.height, PICTURE_HEIGHT), scale: 1 };
      const { data } = await cdp.send('Page.captureScreenshot', { captureBeyondViewport: true, clip });
      return Buffer.from(data, 'base64');
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Edges that are drawn half a px away have slightly different colours. */
const SAME_COLOUR = 8;

/** The number of pixels in which two pictures differ visibly; infinite when their sizes do. */
export async function differingPixels(one: Uint8Array, other: Uint8Array): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map((bytes) => sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })),
  );
  if (!a || a.info.width !== b?.info.width || a.info.height !== b.info.height) return Infinity;
  if (a.data.equals(b.data)) return 0;
  let count = 0;
  let last = -1;
  for (let at = 0; at < a.data.length; at += 1) {
    const differs = Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0)) > SAME_COLOUR;
    const pixel = at >> 2;
    if (differs && pixel !== last) count += 1;
    if (differs) last = pixel;
  }
  return count;
}

export interface Part {
  readonly type: string;
  readonly location: string | null;
  readonly text: string;
}

/** The parts of an archive. */
export function partsOf(archive: Uint8Array): Part[] {
  const message = Buffer.from(archive).toString('latin1');
  const boundary = /boundary="([^"]+)"/.exec(message)?.[1] ?? '';
  return message
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = ''] = part.split('\r\n\r\n', 1);
      const body = part.slice(head.length + 4);
      const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? null;
      const isText = header('Content-Transfer-Encoding') === 'quoted-printable';
      const plain = body
        .replace(/=\r\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
      const bytes = isText ? Buffer.from(plain, 'latin1') : Buffer.from(body, 'base64');
      const type = header('Content-Type') ?? '';
      return { type, location: header('Content-Location'), text: bytes.toString('utf8') };
    });
}
