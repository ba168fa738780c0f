import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/support/eventually.js';
import { ALL_REACHES, other, site } from '../../../../test/support/cross-origin-sites.js';
import { Visits } from './visits.conformance.js';

/** Which requests carry the caller's `headers`, and so basic authentication, which travels in one of them. */

const visits = new Visits();

beforeAll(async () => {
  await Promise.all([site.open(), other.open(), visits.open()]);
});
afterAll(async () => {
  await Promise.all([site.close(), other.close(), visits.close()]);
});

/** Opens the page until the target got a request for each of the paths; says which of them carried the headers. */
async function carriers(
  url: string,
  paths: readonly string[],
  options: Record<string, unknown> = {},
): Promise<string[]> {
  site.forget();
  const headers = { 'X-Preview': 'secret' };
  await visits.readFrom({ url, headers, ...options }, () => arrival(paths));
  return paths.filter((path) => site.requestsTo(path).some((request) => 'x-preview' in request.headers));
}

async function arrival(paths: readonly string[]): Promise<void> {
  const missing = (): string[] => paths.filter((path) => site.requestsTo(path).length === 0);
  await eventually('every path was asked for', () => missing().length === 0, 10_000).catch(() => {
    throw new Error(`Never asked for: ${missing().join(', ')}`);
  });
}

const SPIED = ALL_REACHES.map((name) => `/spied/${name}`);

describe('headers of the caller', () => {
  it('are sent with all requests of a page to its own origin', async () => {
    const paths = [...ALL_REACHES.map((name) => `/own/${name}`), '/own/framed'];
    expect(await carriers(site.url('/reaches'), paths)).toEqual(paths);
  });

  it('are sent with the images of a page without scripts', async () => {
    const paths = ['/own/image', '/own/style', '/own/framed'];
    expect(await carriers(site.url('/reaches'), paths, { javascript: false })).toEqual(paths);
  });

  it('are sent with the requests of dedicated workers and their imports', async () => {
    const paths = ['/worker.js', '/own/imported', '/own/worked', '/own/nested'];
    expect(await carriers(site.url('/worker'), paths)).toEqual(paths);
  });

  it('are sent with the requests of documents that inherit the origin', async () => {
    const paths = ['/own/srcdoc', '/own/blank', '/own/javascript', '/own/blob'];
    expect(await carriers(site.url('/inheriting'), paths)).toEqual(paths);
  });

  it('are sent with a redirect within the origin', async () => {
    expect(await carriers(site.url('/own-redirect'), ['/moved', '/own/moved'])).toHaveLength(2);
  });

  it.each([
    ['a refresh', '/onward-meta', '/own/refreshed'],
    ['a script', '/onward-script', '/own/scripted'],
    ['a form', '/onward-form', '/own/submitted'],
    ['a script beside a foreign frame', '/onward-framed', '/own/onward'],
  ])('are sent when the page navigates by %s', async (_, path, next) => {
    expect(await carriers(site.url(path), [next])).toEqual([next]);
  });

  it.each(['status', 'meta', 'script'])('are not sent by a page that was redirected to by %s', async (by) => {
    expect(await carriers(site.url(`/by-${by}`), SPIED)).toEqual([]);
  });

  it.each([
    ['of another site', '/around-cross-site'],
    ['of another port', '/around-same-site'],
    ['of the origin in a sandbox', '/around-sandboxed'],
    ['by srcdoc in a sandbox', '/around-srcdoc'],
    ['of a data: URL', '/around-data'],
    ['of the origin that is sandboxed by its own policy', '/around-policy'],
  ])('are not sent by a frame %s', async (_, path) => {
    expect(await carriers(site.url(path), SPIED)).toEqual([]);
  });

  it.each(['shared', 'service', 'socket', 'rules'])(
    'are not sent by a foreign page with %s',
    async (name) => {
      expect(await carriers(site.url(`/to-${name}`), [`/spied/${name}`])).toEqual([]);
    },
  );

  it('are not sent by a page of the origin in a frame of a foreign page', async () => {
    expect(await carriers(site.url('/to-frames-own'), ['/framed', '/spied/nested'])).toEqual([]);
  });

  it.each([
    ['foreign page', '/to-goes-back', '/spied/top'],
    ['form of a foreign page', '/to-posts-back', '/spied/posted'],
    ['foreign frame', '/led', '/spied/led'],
    ['foreign frame without a referrer', '/led-unnamed', '/spied/led'],
    ['sandboxed frame of the origin', '/led-sandboxed', '/spied/led'],
    ['page after a redirect out and back', '/out-and-back', '/spied/bounced'],
  ])('are not sent with a navigation by a %s', async (_, path, led) => {
    expect(await carriers(site.url(path), [led])).toEqual([]);
  });

  it('are not sent again after a redirect to another origin', async () => {
    expect(await carriers(site.url('/sends-away'), ['/away', '/spied/bounced'])).toEqual(['/away']);
  });
});

describe('basic authentication', () => {
  it('is not sent by a foreign page, even after a challenge of the target', async () => {
    const login = { basic_auth_username: 'ada', basic_auth_password: 'lovelace' };
    site.forget();
    await visits.readFrom({ url: site.url('/by-script'), ...login }, () => arrival(SPIED));
    const known = site.requests.filter(({ headers }) => headers.authorization !== undefined);
    expect(known.map(({ url }) => url)).toEqual(['/by-script']);
  });
});

describe('cookies of the caller', () => {
  const cookiesOf = async (path: string, led: string, cookie: object): Promise<unknown[]> => {
    site.forget();
    const cookies = [{ name: 'session', value: 'secret', ...cookie }];
    await visits.readFrom({ url: site.url(path), cookies }, () => arrival([led]));
    return site.requestsTo(led).map(({ headers }) => headers.cookie);
  };

  it('are sent with a foreign page’s link to the target, but with no other request of it', async () => {
    expect(await cookiesOf('/to-goes-back', '/spied/top', {})).toEqual(['session=secret']);
    expect(await cookiesOf('/to-posts-back', '/spied/posted', {})).toEqual([undefined]);
    expect(await cookiesOf('/by-script', '/spied/credentials', {})).toEqual([undefined]);
  });

  it('are sent with a foreign page’s requests when same_site is none', async () => {
    const open = { same_site: 'none', secure: true };
    expect(await cookiesOf('/by-script', '/spied/credentials', open)).toEqual(['session=secret']);
  });
});
