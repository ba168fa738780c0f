import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureOptions } from '@app/capture';
import { Capturing, Picture } from '../../../../test/support/capturing.js';
import { IsolatingBrowser } from '../../../../test/support/isolating-browser.js';

/** A browser that gives a frame of another site a process of its own, as full Chrome does. */
const browser = new IsolatingBrowser();
let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open(1, { settings: await browser.open() });
});
afterAll(async () => {
  await capturing.close();
  await browser.close();
});

type Choice = CaptureOptions['cookie_consent'];

/** Each manager with the code that reads the consent it has stored, and what that is after each choice. */
const MANAGERS = [
  {
    page: 'vanilla.html',
    manager: 'vanilla-cookieconsent',
    stored: `JSON.parse(decodeURIComponent(/cc_cookie=([^;]*)/.exec(document.cookie)?.[1] ?? '{}')).categories?.join(' ')`,
    after: { reject: 'necessary', accept: 'necessary analytics' },
  },
  {
    page: 'klaro.html',
    manager: 'klaro',
    stored: `localStorage.klaro && 'matomo ' + JSON.parse(decodeURIComponent(localStorage.klaro)).matomo`,
    after: { reject: 'matomo false', accept: 'matomo true' },
  },
  {
    page: 'osano.html',
    manager: 'cookieconsent',
    stored: `/cookieconsent_status=([^;]*)/.exec(document.cookie)?.[1]`,
    after: { reject: 'deny', accept: 'allow' },
  },
] as const;

/** Managers that our own rules answer. */
const OWN = [
  {
    page: 'orejime.html',
    manager: 'orejime',
    stored: `/eu-consent=([^;]*)/.exec(document.cookie)?.[1]`,
    after: { reject: '{%22analytics%22:false}', accept: '{%22analytics%22:true}' },
    undecided: 'nothing',
  },
  {
    page: 'tarteaucitron.html',
    manager: 'tarteaucitron',
    stored: `/tarteaucitron=([^;]*)/.exec(document.cookie)?.[1]`,
    after: { reject: '!youtube=false', accept: '!youtube=true' },
    undecided: '!youtube=wait',
  },
] as const;

const CHOICES = [
  { choice: 'reject', action: 'rejected' },
  { choice: 'accept', action: 'accepted' },
  { choice: 'hide', action: 'hidden' },
] as const;

/** Shows in the title what `stored` gives and how far the page scrolls. */
const titleOf = (stored: string): string =>
  `const stored = ${stored}; scrollTo(0, 500); document.title = (stored ?? 'nothing') + ', at ' + scrollY; scrollTo(0, 0)`;

async function capture(
  page: string,
  choice: Choice,
  options: Partial<CaptureOptions> = {},
): Promise<Picture> {
  const chosen = { block_cookie_banners: true, cookie_consent: choice, ...options };
  return Picture.fromCapture(await capturing.capture(page, chosen));
}

/** The colours of a grid over the picture, without the line of text at its top. */
function coloursOf(picture: Picture): Set<string> {
  const colours = new Set<string>();
  for (let y = 60; y < 770; y += 15) for (let x = 20; x < 1_260; x += 15) colours.add(picture.colourAt(x, y));
  return colours;
}

const GREEN = '00a050';

describe.each(MANAGERS)('cookie_consent with $manager', ({ page, manager, stored, after }) => {
  it.each(CHOICES)('$action: $choice', async ({ choice, action }) => {
    const picture = await capture(`/consent/${page}`, choice, { js: titleOf(stored) });
    const { consent, title } = picture.captured.facts;
    expect(consent).toEqual({ manager, action, gone: true });
    expect(title).toBe(`${choice === 'hide' ? 'nothing' : after[choice]}, at 500`);
    expect([...coloursOf(picture)]).toEqual([GREEN]);
  });

  it.each(CHOICES)('$action in a frame of another site: $choice', async ({ choice, action }) => {
    const framed = new URL(`http://localhost:${capturing.site.port}/consent/${page}`).href;
    const picture = await capture(`/around?to=${encodeURIComponent(framed)}`, choice);
    const { consent, title } = picture.captured.facts;
    expect(consent).toEqual({ manager, action, gone: true });
    expect(title).toBe(choice === 'hide' ? 'Around' : after[choice]);
    expect([...coloursOf(picture)]).toEqual([GREEN]);
  });

  it('shows its dialog when the option is off', async () => {
    const picture = await capture(`/consent/${page}`, 'reject', {
      block_cookie_banners: false,
      delay_ms: 1_000,
    });
    expect(picture.captured.facts.consent).toBeNull();
    expect(coloursOf(picture).size).toBeGreaterThan(1);
  });
});

describe.each(OWN)('cookie_consent with $manager', ({ page, manager, stored, after, undecided }) => {
  it.each(CHOICES)('$action: $choice', async ({ choice, action }) => {
    const picture = await capture(`/consent/${page}`, choice, { js: titleOf(stored) });
    const { consent, title } = picture.captured.facts;
    expect(consent).toEqual({ manager, action, gone: true });
    expect(title).toBe(`${choice === 'hide' ? undecided : after[choice]}, at 500`);
    expect([...coloursOf(picture)]).toEqual([GREEN]);
  });
});
