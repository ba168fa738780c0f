import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CaptureFailure, type CaptureFacts, type CaptureOptions } from '@app/capture';
import { MAX_TEXT } from '@app/kernel';
import { Capturing } from '../../../../test/support/capturing.js';
import { Site } from '../../../../test/support/site.js';
import { MAX_REDIRECTS } from '../record/document.js';

const PAGE = '<title>The end</title>text';

const LONG = `/long?${'x'.repeat(MAX_TEXT.url)}`;

const redirect =
  (status: number, to: () => string): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { location: to() }).end();

/** An address of the site with a name and a password, as a redirect may have. */
const withName = (path: string) => site.url(path).replace('//', '//ann:word@');

const site: Site = new Site({
  // `/hops/3` redirects three times.
  ...Object.fromEntries(
    Array.from({ length: 25 }, (_, n) => [`/hops/${n + 1}`, redirect(302, () => `/hops/${n}`)]),
  ),
  '/hops/0': PAGE,
  '/permanent': redirect(308, () => '/hops/1'),
  '/long': redirect(302, () => LONG),
  [LONG]: redirect(302, () => '/hops/0'),
  '/with-name': redirect(302, () => withName('/then')),
  '/then': redirect(303, () => '/hops/0'),
  '/to-nowhere': redirect(307, () => 'http://html.invalid/a'),
  '/to-forbidden': redirect(302, () => 'http://127.0.0.1:1/'),
  '/elsewhere': redirect(302, () => site.url('/hops/0', 'other.localhost')),
  '/script-elsewhere': `<p>here</p><script>addEventListener('load', () => { location = '/elsewhere' })</script>`,
  '/frame-elsewhere': '<p>here</p><iframe src="/elsewhere"></iframe><img src="/elsewhere">',
  '/by-script': '<script>location.replace("/hops/2")</script>',
  '/by-script-to-nowhere': '<script>location.replace("/to-nowhere")</script>',
});

let capturing: Capturing;

beforeAll(async () => {
  await site.open();
  capturing = await Capturing.open();
});
afterAll(() => Promise.all([capturing.close(), site.close()]));

const capture = async (path: string, options?: Partial<CaptureOptions>) => {
  const { facts } = await capturing.capture(site.url(path), options);
  return { finalUrl: shownPath(facts.finalUrl), redirects: shownHops(facts) };
};
const fail = async (path: string, options?: Partial<CaptureOptions>) => {
  const error = await capturing.failure(site.url(path), options);
  if (!(error instanceof CaptureFailure)) throw error;
  const { facts } = error.partial;
  return { code: error.code, finalUrl: shownPath(facts.finalUrl), redirects: shownHops(facts) };
};

describe('the redirects of a capture', () => {
  it.each([
    ['/hops/0', []],
    ['/hops/1', ['302 /hops/1']],
    ['/hops/3', ['302 /hops/3', '302 /hops/2', '302 /hops/1']],
    ['/permanent', ['308 /permanent', '302 /hops/1']],
  ])('are those that led from %s to the page', async (path, redirects) => {
    expect(await capture(path)).toEqual({ finalUrl: '/hops/0', redirects });
  });

  it('are those of the document that a script led to', async () => {
    expect((await capture('/by-script')).redirects).toEqual(['302 /hops/2', '302 /hops/1']);
  });

  it('are none for html', async () => {
    const { facts } = await capturing.capture(null, { html: PAGE });
    expect(facts.redirects).toEqual([]);
  });

  it('have their addresses as the final one has its: cut, and without the name and the password in it', async () => {
    const { facts } = await capturing.capture(site.url('/long'));
    expect(facts.redirects[1]?.url).toHaveLength(MAX_TEXT.url);
    expect(await capture('/with-name')).toEqual({
      finalUrl: '/hops/0',
      redirects: ['302 /with-name', '303 /then'],
    });
  });

  it('are named by a capture that fails on the page', async () => {
    expect(await fail('/hops/2', { selector: '#no' })).toEqual({
      code: 'selector_not_found',
      finalUrl: '/hops/0',
      redirects: ['302 /hops/2', '302 /hops/1'],
    });
  });

  it.each([
    ['/to-nowhere', ['307 /to-nowhere']],
    ['/by-script-to-nowhere', ['307 /to-nowhere']],
  ])('are named by a capture of %s, whose last one led to no page', async (path, redirects) => {
    const finalUrl = 'http://html.invalid/a';
    expect(await fail(path)).toEqual({ code: 'target_dns_error', finalUrl, redirects });
  });

  it('are those that the browser followed before it gave up', async () => {
    const { code, finalUrl, redirects } = await fail('/hops/25');
    expect([code, finalUrl]).toEqual(['target_redirect_loop', '/hops/6']);
    expect(redirects).toEqual(Array.from({ length: MAX_REDIRECTS - 1 }, (_, i) => `302 /hops/${25 - i}`));
  });

  it('do not tell of a redirect to a forbidden address', async () => {
    expect(await fail('/to-forbidden')).toEqual({ code: 'target_forbidden', finalUrl: null, redirects: [] });
  });
});

describe('a capture with allowed_hosts', () => {
  const held = { allowed_hosts: ['127.0.0.1'] };
  const led = (path: string, options: Partial<CaptureOptions> = {}) =>
    capturing.failure(site.url(path), { ...held, ...options });

  it.each<[string, string, () => Partial<CaptureOptions>]>([
    ['a redirect', '/elsewhere', () => ({})],
    ['a script that runs after the load', '/script-elsewhere', () => ({})],
    [
      'a step',
      '/permanent',
      () => ({ actions: [{ type: 'navigate', url: site.url('/elsewhere') }] as never }),
    ],
  ])('fails when %s leads the page to another host, which gets no request', async (_, path, options) => {
    site.forget();
    const error = await led(path, options());
    expect(error).toMatchObject({ code: 'target_forbidden' });
    expect(error.message).toMatch(
      /^The page led to other\.localhost:\d+, a host that allowed_hosts does not name\.$/,
    );
    const asked = site.requests.filter(({ headers }) => headers.host?.startsWith('other.'));
    expect(asked).toEqual([]);
  });

  it('shows what leads nowhere else, with frames and pictures of other hosts', async () => {
    const { facts } = await capturing.capture(site.url('/hops/3'), held);
    expect(shownPath(facts.finalUrl)).toBe('/hops/0');
    site.forget();
    await capturing.capture(site.url('/frame-elsewhere'), held);
    expect(site.requestsTo('/hops/0').map(({ headers }) => headers.host?.split(':')[0])).toEqual([
      'other.localhost',
      'other.localhost',
    ]);
  });

  it('may be led to each host that is named', async () => {
    const { facts } = await capturing.capture(site.url('/elsewhere'), {
      allowed_hosts: ['127.0.0.1', '*.localhost'],
    });
    expect(facts.finalUrl).toContain('other.localhost');
  });
});

/** An address of the site as its path. */
function shownPath(url: string | null): string | null {
  return url?.replace(site.url(''), '') ?? null;
}

function shownHops({ redirects }: Pick<CaptureFacts, 'redirects'>): string[] {
  return redirects.map(({ url, status }) => `${status} ${shownPath(url)}`);
}
