import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureOptions } from '@app/capture';
import type { FilterSet } from '@app/filters';
import { Capturing, Picture, type Captured } from '../../../../test/support/capturing.js';
import { filtersOf } from '../../../../test/support/filters.js';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

/** A dialog over a dimmed, locked page, which no rule knows. Its buttons say in the title which was clicked. */
const dialogOf = (...buttons: string[]): string => `
  <div class="dim" style="position: fixed; inset: 0; background: rgb(0 0 0 / 50%)"></div>
  <div class="ask" style="position: fixed; inset: 200px 300px; background: #ffffff" role="dialog">
    <p>We use cookies to measure what visitors do on this site.</p>
    ${buttons.map((text) => `<button onclick="document.title = '${text}'; this.closest('.ask').remove()">${text}</button>`).join('')}
  </div>`;

const LOCKED = 'overflow: hidden; height: 100%';
const page = (dialog: string, { style = LOCKED, script = '' } = {}): string => `<!doctype html>
  <html style="${style}"><title>Page</title><body style="margin: 0; background: #00a050; ${style}">
  <main inert style="height: 3000px">Content</main>${dialog}<script>${script}</script>`;

function capture(html: string, options: Partial<CaptureOptions> = {}): Promise<Captured> {
  return capturing.capture(null, { html, block_cookie_banners: true, ...options });
}

/** Whether the picture shows only the page. */
async function isClean(captured: Captured): Promise<boolean> {
  const picture = await Picture.fromCapture(captured);
  return [
    [640, 400],
    [310, 210],
    [10, 790],
    [1270, 600],
  ].every(([x = 0, y = 0]) => picture.colourAt(x, y) === '00a050');
}

describe('a dialog that no rule knows', () => {
  it.each([
    { buttons: ['Accept all', 'Reject all'], choice: 'reject', action: 'rejected', title: 'Reject all' },
    { buttons: ['Accept all', 'Reject all'], choice: 'accept', action: 'accepted', title: 'Accept all' },
    { buttons: ['Accept all', 'Reject all'], choice: 'hide', action: 'hidden', title: 'Page' },
    { buttons: ['Accept all', 'Settings'], choice: 'reject', action: 'hidden', title: 'Page' },
    { buttons: ['Accept all'], choice: 'reject', action: 'hidden', title: 'Page' },
    { buttons: ['OK'], choice: 'reject', action: 'hidden', title: 'Page' },
    { buttons: ['OK'], choice: 'accept', action: 'accepted', title: 'OK' },
    { buttons: ['Alle akzeptieren', 'Ablehnen'], choice: 'reject', action: 'rejected', title: 'Ablehnen' },
  ] as const)('with $buttons is $action: $choice', async ({ buttons, choice, action, title }) => {
    const captured = await capture(page(dialogOf(...buttons)), { cookie_consent: choice });
    expect(captured.facts.consent).toEqual({ manager: null, action, gone: true });
    expect(captured.facts.title).toBe(title);
    expect(await isClean(captured)).toBe(true);
  });

  it('leaves a page that scrolls again and whose content is not inert', async () => {
    const js = `scrollTo(0, 700); document.title = scrollY + ' ' + document.querySelector('main').inert`;
    const { facts } = await capture(page(dialogOf('Accept all')), { js });
    expect(facts.title).toBe('700 false');
  });

  it('leaves a page that scrolls when the body was fixed', async () => {
    const style = 'position: fixed !important; top: -300px; width: 100%; overflow: hidden !important';
    const js = `scrollTo(0, 700); document.title = String(scrollY)`;
    const { facts } = await capture(page(dialogOf('Accept all'), { style }), { js });
    expect(facts.title).toBe('700');
  });

  it('is hidden without JavaScript', async () => {
    const captured = await capture(page(dialogOf('Accept all', 'Reject all')), { javascript: false });
    expect(captured.facts.consent).toEqual({ manager: null, action: 'hidden', gone: true });
    expect(await isClean(captured)).toBe(true);
  });

  it('is removed when it comes after the load, while the capture waits', async () => {
    const script = `setTimeout(() => document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(dialogOf('Reject all'))}), 300)`;
    const captured = await capture(page('We use cookies.', { script }), { delay_ms: 800 });
    expect(captured.facts.consent).toEqual({ manager: null, action: 'rejected', gone: true });
    expect(await isClean(captured)).toBe(true);
  });
});

describe('a page without a dialog', () => {
  it.each([
    ['that locks its scrolling', page('')],
    [
      'that writes about cookies',
      page('<article><p>We use cookies.</p><button>Accept all</button></article>'),
    ],
    [
      'with a fixed header that links to its cookie policy',
      page(
        '<header style="position: fixed; top: 0"><a href="/cookies">Cookies</a><button>OK</button></header>',
      ),
    ],
    [
      'with a dialog that asks for the age',
      page(dialogOf('Accept all').replace('We use cookies', 'You must be over 18. We use cookies')),
    ],
  ])('%s stays as it is', async (_, html) => {
    const [without, clean] = [await capture(html, { block_cookie_banners: false }), await capture(html)];
    expect(clean.facts.consent).toEqual({ manager: null, action: 'none', gone: true });
    expect(Buffer.from(clean.bytes).equals(Buffer.from(without.bytes))).toBe(true);
    const js = `document.title = getComputedStyle(document.body).overflowY + ' ' + document.querySelector('main').inert`;
    expect((await capture(html, { js })).facts.title).toBe('hidden true');
  });
});

describe('a manager that loads the page again', () => {
  it('has been answered when it does not ask again', async () => {
    const { facts } = await capturing.capture('/consent/reloads.html', { block_cookie_banners: true });
    expect(facts).toMatchObject({
      title: 'Loaded 2 times',
      consent: { manager: 'vanilla-cookieconsent', action: 'rejected', gone: true },
    });
  });
});

describe('a manager whose only button consents', () => {
  it('gets no consent', async () => {
    const js = `document.title = document.cookie || 'none'`;
    const { facts } = await capturing.capture('/consent/osano.html?type=info', {
      block_cookie_banners: true,
      js,
    });
    expect(facts).toMatchObject({
      title: 'none',
      consent: { manager: 'cookieconsent', action: 'hidden', gone: true },
    });
  });
});

describe('a notice that only the filter lists know', () => {
  const NOTICE =
    '<div class="notice" style="position: absolute; inset: 200px 300px; background: #ffffff">Cookies!</div>';
  const filters = (): FilterSet => filtersOf({ cookies: '##.notice', annoyances: '##main' });

  it.each([{ block_cookie_banners: true }, { clean: true, block_annoyances: false }])(
    'is hidden with %j',
    async (options) => {
      const html = page(NOTICE);
      const captured = await capturing.capture(null, { html, ...options }, { filters });
      expect(await isClean(captured)).toBe(true);
    },
  );

  it('is shown when the option is off', async () => {
    const captured = await capturing.capture(null, { html: page(NOTICE), block_ads: true }, { filters });
    expect((await Picture.fromCapture(captured)).colourAt(640, 400)).toBe('ffffff');
  });

  it('does not hide a dialog before it is answered', async () => {
    const captured = await capturing.capture(
      null,
      { html: page(dialogOf('Accept all', 'Reject all')), clean: true },
      { filters: () => filtersOf({ cookies: '##.ask' }) },
    );
    expect(captured.facts.consent).toEqual({ manager: null, action: 'rejected', gone: true });
  });
});
