import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VERDICTS, type CaptureOptions, type Verdict } from '@app/capture';
import { Capturing } from '../../../../../test/support/capturing.js';
import { LoopbackResolver } from '../../../../../test/support/loopback-egress.js';
import { SIGNATURES } from './signatures.js';

const FOLDER = 'test/site/verdicts';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open(1, { resolver: new LoopbackResolver() });
});
afterAll(() => capturing.close());

async function verdictOn(
  page: string | null,
  options: Partial<CaptureOptions> = {},
): Promise<Verdict | null> {
  // Blank pages are waited for.
  return (await capturing.capture(page, { ready_timeout_ms: 300, ...options })).facts.verdict;
}

const known = new Map<string, Promise<Verdict | null>>();

/** The verdict on a recorded response without options, which several tests need. */
function verdictOnRecorded(name: string): Promise<Verdict | null> {
  const verdict = known.get(name) ?? verdictOn(`/verdicts/${name}`);
  known.set(name, verdict);
  return verdict;
}

/** The names of the recorded responses of a kind. */
function recorded(kind: Verdict['kind']): string[] {
  return readdirSync(`${FOLDER}/${kind}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.http'))
    .map((name) => name.slice(0, -'.http'.length))
    .sort();
}

const slugOf = (vendor: string): string =>
  vendor.toLowerCase().replaceAll(/[()]/g, '').replaceAll(/[ .]/g, '-');

describe('a page that is not the one that was asked for', () => {
  const other = VERDICTS.filter((kind) => kind !== 'page' && kind !== 'login_wall');
  it.each(other.flatMap((kind) => recorded(kind).map((name) => [kind, name] as const)))(
    'is a %s: %s',
    async (kind, name) => {
      const verdict = await verdictOnRecorded(`${kind}/${name}`);
      expect(verdict?.kind).toBe(kind);
      expect(verdict?.evidence).not.toEqual([]);
    },
  );

  it.each(recorded('page'))('is not what this ordinary page is: %s', async (name) => {
    expect(await verdictOnRecorded(`page/${name}`)).toEqual({ kind: 'page', evidence: [] });
  });

  const vendors = SIGNATURES.filter(({ kind }) => kind !== 'login_wall');
  it.each(vendors.map(({ kind, vendor }) => [kind, vendor] as const))(
    'has an example for the %s of %s, and an ordinary page that is like it',
    async (kind, vendor) => {
      const slug = slugOf(vendor);
      expect(recorded('page').filter((name) => name.startsWith(`near-${slug}`))).not.toEqual([]);
      const isNameless = vendor === 'unknown' || vendor === 'status';
      const { evidence = [] } = (await verdictOnRecorded(`${kind}/${isNameless ? 'unknown' : slug}`)) ?? {};
      expect(evidence.filter((sign) => sign.startsWith('vendor: '))).toEqual(
        isNameless ? [] : [`vendor: ${vendor}`],
      );
    },
  );
});

describe('the evidence', () => {
  it.each([
    [
      'bot_wall/cloudflare',
      [
        'header: cf-mitigated: challenge',
        'code: _cf_chl_opt =',
        'title: Just a moment...',
        'text: needs to review the security of your connection',
        'text: Ray ID',
        'status: 403',
        'vendor: Cloudflare',
      ],
    ],
    [
      'bot_wall/imperva-incident',
      ['text: Incapsula incident ID:', 'header: x-cdn: Incapsula', 'form: none', 'vendor: Imperva'],
    ],
    [
      'bot_wall/hcaptcha',
      ['frame: newassets.hcaptcha.com', 'form: none', 'text: security check', 'vendor: hCaptcha'],
    ],
    ['error_page/nginx', ['title: 404 Not Found', 'text: nginx/1.22.1', 'status: 404', 'vendor: nginx']],
    ['error_page/server-error', ['status: 500']],
    ['error_page/unknown-heading', ['heading: Oops! Page not found', 'text: Page not found', 'prose: none']],
    [
      'blank/themed-root',
      [
        'nothing is drawn',
        'picture: one colour (#123456)',
        'more was to come: scripts, hidden text or media',
      ],
    ],
    [
      'blank/white-on-white',
      ['picture: one colour (#ffffff)', 'text: in the colour of the page, or covered'],
    ],
  ])('of %s says what was seen', async (name, evidence) => {
    expect((await verdictOnRecorded(name))?.evidence).toEqual(evidence);
  });

  it('is short, without control characters, secrets or queries', async () => {
    const html = `<title>Access to this page has been denied \u0007\n${'x'.repeat(100_000)}</title>
      <div id="px-captcha"></div><script src="https://captcha.px-cdn.net/captcha.js?a=c&token=secret"></script>`;
    const verdict = await verdictOn(null, { html });
    expect(verdict?.kind).toBe('bot_wall');
    expect(verdict?.evidence).toContain('script: https://captcha.px-cdn.net/captcha.js');
    for (const text of verdict?.evidence ?? []) {
      expect(text.length).toBeLessThanOrEqual(200);
      // oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
      expect(text).not.toMatch(/[\0-\x1f]|secret/);
    }
  });
});

describe('a log-in instead of the page', () => {
  it.each(['login', 'wp-login.php', 'users/sign_in', 'account/identifier-login'])(
    'is a wall after a redirect, and a page when it was asked for: %s',
    async (name) => {
      const page = `/verdicts/login_wall/${name}`;
      const wall = await verdictOn(`/redirect?to=${encodeURIComponent(`${page}?next=/report&token=secret`)}`);
      expect(wall?.kind).toBe('login_wall');
      expect(wall?.evidence).toContain(`redirect: ${page}`);
      expect(await verdictOn(page)).toEqual({ kind: 'page', evidence: [] });
    },
  );

  it.each([
    ['unauthorized-form', 'status: 401'],
    ['forbidden-form', 'status: 403'],
    ['in-place', 'text: You must log in'],
  ])('is a wall at the address of the page: %s', async (name, sign) => {
    expect(await verdictOnRecorded(`login_wall/${name}`)).toEqual({
      kind: 'login_wall',
      evidence: ['form: password', sign],
    });
  });

  it('is a wall at an identity provider', async () => {
    const provider = `http://acme.auth0.com:${capturing.site.port}/verdicts/login_wall/identity-provider`;
    expect(await verdictOn(`/redirect?to=${provider}`)).toEqual({
      kind: 'login_wall',
      evidence: [`redirect: /verdicts/login_wall/identity-provider`, 'form: user name', expect.any(String)],
    });
  });

  it('is a page for html, whose author knows what it is', async () => {
    const html =
      '<form style="margin: 100px auto; width: 200px">Please log in <input type="password"></form>';
    expect(await verdictOn(null, { html })).toEqual({ kind: 'page', evidence: [] });
  });
});

describe('the kinds', () => {
  it('are ordered: a bot wall with a refusing status is no error page, and neither is blank', async () => {
    expect((await verdictOnRecorded('bot_wall/kasada'))?.kind).toBe('bot_wall');
    expect((await verdictOnRecorded('login_wall/forbidden-form'))?.kind).toBe('login_wall');
    const html = '<title>404 Not Found</title><script>window._cf_chl_opt = {}</script><center>nginx</center>';
    expect((await verdictOn(null, { html }))?.kind).toBe('bot_wall');
  });

  /** Pages whose picture tells what they are. */
  const DRAWN = [
    ['blank/white', 'blank'],
    ['blank/themed-root', 'blank'],
    ['page/drawn-canvas', 'page'],
    ['page/one-colour', 'page'],
  ] as const;
  /** Pages whose markup tells what they are. */
  const MARKED_UP = [
    ['bot_wall/datadome', 'bot_wall'],
    ['error_page/apache', 'error_page'],
    ['blank/hidden-text', 'blank'],
    ['page/picture', 'page'],
    ['page/near-recaptcha', 'page'],
  ] as const;

  it.each([
    ['jpeg', DRAWN],
    ['webp', DRAWN],
    ['pdf', [...DRAWN, ...MARKED_UP]],
    ['text', [...DRAWN, ...MARKED_UP]],
  ] as const)('are the same for %s', async (format, pages) => {
    for (const [name, kind] of pages) {
      expect([name, (await verdictOn(`/verdicts/${name}`, { format }))?.kind]).toEqual([name, kind]);
    }
  });

  it.each([
    { device_scale_factor: 3 },
    { viewport_width: 400, viewport_height: 300 },
    { full_page: true },
    { optimize_for_speed: true },
    { omit_background: true },
    { javascript: false },
    { format: 'jpeg', quality: 100 },
    { format: 'webp', quality: 100 },
    { format: 'avif' },
    { format: 'jpeg', image_width: 200, image_height: 300, image_fit: 'contain' },
  ] as const)('are the same with %j', async (options) => {
    for (const name of ['white-on-white', 'canvas']) {
      const verdict = await verdictOn(`/verdicts/blank/${name}`, options);
      expect([name, verdict?.kind]).toEqual([name, 'blank']);
    }
    expect((await verdictOn('/verdicts/page/little', options))?.kind).toBe('page');
  });

  it('take the whole page into account when the file shows it', async () => {
    const html = '<div style="height: 3000px"></div><p>Far below</p>';
    expect((await verdictOn(null, { html }))?.kind).toBe('blank');
    expect((await verdictOn(null, { html, full_page: true }))?.kind).toBe('page');
    expect((await verdictOn(null, { html, format: 'pdf' }))?.kind).toBe('page');
  });

  it('are of the page, whatever part of it is captured', async () => {
    const box =
      '<title>Box</title><h1>Text</h1><div id="box" style="width: 90px; height: 90px; background: #0a3">';
    expect((await verdictOn(null, { html: box, selector: '#box' }))?.kind).toBe('page');
  });
});

describe('fail_on_verdict', () => {
  it.each([
    ['bot_wall/akamai', 'bot_wall'],
    ['login_wall/in-place', 'login_wall'],
    ['error_page/apache', 'error_page'],
    ['blank/canvas', 'blank'],
  ] as const)('fails on %s', async (name, kind) => {
    const error = await capturing.failure(`/verdicts/${name}`, { fail_on_verdict: ['page', kind] });
    const expected = { kind, evidence: expect.arrayContaining([expect.any(String)]) };
    expect(error).toMatchObject({
      code: 'condition_failed',
      message: `The page is judged as ${kind}, which fail_on_verdict lists.`,
      facts: { phase: 'render', verdict: expected },
      partial: { facts: { verdict: expected } },
    });
    expect(error.toBody().verdict).toEqual(error.facts.verdict);
  });

  it('lets pass what it does not list', async () => {
    const { facts } = await capturing.capture('/verdicts/bot_wall/akamai', {
      fail_on_verdict: ['blank', 'login_wall', 'error_page'],
    });
    expect(facts.verdict?.kind).toBe('bot_wall');
  });

  it('comes before a format that has no such part', async () => {
    const options = { selector: '#report', fail_on_verdict: ['bot_wall'] };
    expect((await capturing.failure('/verdicts/bot_wall/akamai', options)).code).toBe('condition_failed');
    const without = await capturing.failure('/verdicts/bot_wall/akamai', { selector: '#report' });
    expect(without).toMatchObject({
      code: 'selector_not_found',
      partial: { facts: { verdict: { kind: 'bot_wall' } } },
    });
  });
});
