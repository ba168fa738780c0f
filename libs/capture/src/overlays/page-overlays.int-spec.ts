import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureOptions } from '@app/capture';
import { Capturing, Picture, type Captured } from '../../../../test/support/capturing.js';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

const SENTENCE = 'The harbour wall was built in 1874, and boats leave it at six in the morning. ';
const NEWSLETTER = '<h2>Join our newsletter</h2><p>Stories once a week.</p><input type="email">';
const CLOSE = '<button aria-label="Close" onclick="closeIt()">×</button>';
const VEIL = '<div class="veil" style="position: fixed; inset: 0; background: #0008"></div>';
const BOX = 'position: fixed; inset: 200px 400px; padding: 30px; background: #ffffff';
const LOCKED = 'document.body.style.overflow = "hidden";';
const REMOVES = `closeIt = () => { document.querySelectorAll('.veil, .box').forEach((each) => each.remove()); document.body.style.overflow = ''; };`;
const boxOf = (content: string): string => `${VEIL}<div class="box" style="${BOX}">${content}</div>`;
const nativeOf = (content: string): string => `<dialog style="padding: 60px">${content}</dialog>`;
const SHOWN = `const dialog = document.querySelector('dialog'); closeIt = () => dialog.close(); dialog.showModal();`;

/** A page with text in all of the window, and something that may lie over it. */
const page = (over: string, script = ''): string => `<!doctype html>
  <html lang="en"><title>The Harbour Post</title><body style="margin: 0; background: #00a050; font: 18px/1.5 serif">
  <main>${`<p>${SENTENCE.repeat(4)}</p>`.repeat(20)}</main>${over}<script>${script}</script>`;

function capture(html: string, options: Partial<CaptureOptions> = {}): Promise<Captured> {
  return capturing.capture(null, { html, block_annoyances: true, wait_until: 'load', ...options });
}

/** The same page without anything over it, once for all tests. */
let plain: Promise<Captured> | undefined;
async function isPlain({ bytes }: Captured): Promise<boolean> {
  plain ??= capture(page(''), { block_annoyances: false });
  return Buffer.from(bytes).equals(Buffer.from((await plain).bytes));
}

describe('what has come over a page', () => {
  it.each([
    { title: 'a dialog of the browser', over: nativeOf(CLOSE + NEWSLETTER), script: SHOWN, kind: 'dialog' },
    {
      title: 'a dialog of the browser that only the Escape key closes',
      over: nativeOf(NEWSLETTER),
      script: SHOWN,
      kind: 'dialog',
    },
    { title: 'a box over a veil', over: boxOf(CLOSE + NEWSLETTER), script: LOCKED + REMOVES, kind: 'fixed' },
    {
      title: 'a popover',
      over: `<div popover style="inset: 0; width: 60vw; height: 70vh">${CLOSE}${NEWSLETTER}</div>`,
      script: `const it = document.querySelector('[popover]'); closeIt = () => it.hidePopover(); it.showPopover();`,
      kind: 'popover',
    },
    {
      title: 'a box in a shadow root',
      over: '<news-letter></news-letter>',
      script: `const host = document.querySelector('news-letter'); closeIt = () => host.remove();
        host.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(boxOf(CLOSE + NEWSLETTER))};`,
      kind: 'fixed',
    },
  ])('is closed by its own control: $title', async ({ over, script, kind }) => {
    const captured = await capture(page(over, script));
    expect(captured.facts.overlays).toEqual([
      {
        action: 'closed',
        kind,
        label: 'Join our newsletter',
        box: {
          x: expect.any(Number),
          y: expect.any(Number),
          width: expect.any(Number),
          height: expect.any(Number),
        },
      },
    ]);
    expect(await isPlain(captured)).toBe(true);
  });

  it('is closed when it comes while the capture waits', async () => {
    const script = `setTimeout(() => { ${SHOWN} }, 300)`;
    const captured = await capture(page(nativeOf(CLOSE + NEWSLETTER), script), { delay_ms: 700 });
    expect(captured.facts.overlays).toMatchObject([{ action: 'closed', kind: 'dialog' }]);
    expect(await isPlain(captured)).toBe(true);
  });

  it.each([
    ['does nothing', {}],
    ['cannot work without JavaScript', { javascript: false }],
  ] as const)('is hidden when its control %s, and the page scrolls again', async (_, options) => {
    const over = boxOf(CLOSE + NEWSLETTER) + '<style>body { overflow: hidden }</style>';
    const captured = await capture(page(over), { ...options, full_page: true });
    expect(captured.facts.overlays).toMatchObject([{ action: 'hidden', label: 'Join our newsletter' }]);
    const picture = await Picture.fromCapture(captured);
    expect(picture.height).toBeGreaterThan(1_000);
    expect(picture.colourAt(5, 400)).toBe('00a050');
  });

  it('is closed on a page that shadows what the browser has', async () => {
    const names = ['elementFromPoint', 'createTreeWalker', 'querySelector', 'body', 'title', 'createRange'];
    const shadows = names.map((name) => `<img name="${name}" alt="" width="0">`).join('');
    const fields = [
      'getBoundingClientRect',
      'matches',
      'parentNode',
      'style',
      'checkVisibility',
      'shadowRoot',
    ];
    const form = `<form>${fields.map((name) => `<input type="hidden" name="${name}">`).join('')}${NEWSLETTER}</form>`;
    const captured = await capture(
      page(boxOf(CLOSE.replace('<button', '<button type="button"') + form) + shadows, REMOVES),
    );
    expect(captured.facts.overlays).toMatchObject([{ action: 'closed', label: 'Join our newsletter' }]);
  });

  it('does not delay a page of 30,000 fixed elements beyond its bounds', async () => {
    const script = `const all = document.createDocumentFragment();
      for (let count = 0; count < 30000; count += 1) {
        const each = document.createElement('i');
        each.style.cssText = 'position: fixed; left: 0; top: 0; width: 1px; height: 1px';
        all.append(each);
      }
      document.body.append(all)`;
    const { facts } = await capture(page('', script), { timeout_ms: 20_000 });
    expect(facts.overlays).toEqual([]);
  });

  it('is hidden when its control leads away from the page', async () => {
    const link = '<a href="/elsewhere" aria-label="Close">×</a>';
    const captured = await capture(page(boxOf(link + NEWSLETTER)), {
      base_url: capturing.site.url,
    });
    expect(captured.facts).toMatchObject({ title: 'The Harbour Post', overlays: [{ action: 'hidden' }] });
    expect(await isPlain(captured)).toBe(true);
  });
});

describe('what stays on a page', () => {
  const WIDE = 'position: fixed; inset: 0; background: #ffffff';
  it.each([
    { title: 'an overlay without a way to close it', over: boxOf('<h2>Closed for the winter</h2>') },
    { title: 'an age gate', over: boxOf(`${CLOSE}<h2>You must be over 18</h2><button>Yes</button>`) },
    { title: 'a paywall', over: boxOf(`${CLOSE}<h2>Subscribe to continue reading</h2>`) },
    { title: 'a log-in', over: boxOf(`${CLOSE}<h2>Welcome</h2><input type="password">`) },
    {
      title: 'a request for consent',
      over: boxOf(`${CLOSE}<p>We use cookies.</p><button>Accept</button><button>Reject</button>`),
    },
    { title: 'an app that fills the window', over: `<div style="${WIDE}">${CLOSE}<main>An app</main></div>` },
    {
      title: 'a picture that the page is about',
      over: `<div style="${WIDE}">${CLOSE}<h1>The Harbour Post</h1></div>`,
    },
    {
      title: 'a menu',
      over: `<div style="${WIDE}">${CLOSE}${'<a href="#x">One of many</a> '.repeat(12)}</div>`,
    },
    {
      title: 'a small box in a corner',
      over: `<div style="position: fixed; right: 0; bottom: 0; background: #ffffff">${CLOSE}${NEWSLETTER}</div>`,
    },
    {
      title: 'a dialog in the text',
      over: `<dialog open style="position: static">${CLOSE}${NEWSLETTER}</dialog>`,
    },
  ])('$title', async ({ over }) => {
    const html = page(over, REMOVES);
    const [without, clean] = [await capture(html, { block_annoyances: false }), await capture(html)];
    expect(without.facts.overlays).toBeNull();
    expect(clean.facts.overlays).toEqual([]);
    expect(Buffer.from(clean.bytes).equals(Buffer.from(without.bytes))).toBe(true);
  });

  it('what the caller opens', async () => {
    const html = page(`<button id="open" onclick="open_()">Open</button>${nativeOf(CLOSE + NEWSLETTER)}`);
    const js = SHOWN;
    const [without, clean] = [
      await capture(html, { js, block_annoyances: false }),
      await capture(html, { js }),
    ];
    expect(clean.facts.overlays).toEqual([]);
    expect(Buffer.from(clean.bytes).equals(Buffer.from(without.bytes))).toBe(true);
  });
});
