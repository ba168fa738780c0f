import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { NameServersAwayError } from '@app/outbound';
import { Canaries } from './canaries.js';
import { Captures, guardOf, NOBODY } from './captures.js';
import { EgressSite } from './egress-site.js';
import { FlippingResolver } from './flipping-resolver.js';
import { DEPARTURES } from './vectors.js';

// A real browser, a dozen captures in a test, on busy machines.
jest.setTimeout(180_000);

const site = new EgressSite();
const canaries = new Canaries();
const resolver = new FlippingResolver();
let captures: Captures;

const portOf = (place: string): number => Number(place.slice(place.lastIndexOf(':') + 1));
const guard = () => guardOf(site.port, canaries.places.map(portOf));
const page = (body: string): string => `<!doctype html><title>captured</title>${body}`;

beforeAll(async () => {
  await Promise.all([site.open(), canaries.open()]);
  // The port of the site leads here when its name is resolved again.
  await canaries.perch('127.0.0.2', site.port);
  captures = await Captures.open(guard(), resolver);
});

afterEach(() => {
  site.pages.clear();
  resolver.names.clear();
  resolver.failures.clear();
  resolver.asked.length = 0;
  captures.refused.length = 0;
  expect(canaries.songs).toEqual([]);
});

afterAll(async () => {
  await captures.close();
  await site.close();
  canaries.close();
});

describe('a document that must not be reached', () => {
  const expectForbidden = async (options: Parameters<Captures['failure']>[0]): Promise<void> => {
    const error = await captures.failure(options);
    expect([error.code, options]).toEqual(['target_forbidden', options]);
    // The error gives neither the address nor the reason.
    expect(JSON.stringify(error.toBody())).not.toMatch(/127|169|::1|example|net_error/);
  };

  it('is refused for the address to which its name resolves', async () => {
    for (const place of canaries.places) {
      const address = place.slice(0, place.lastIndexOf(':')).replace(/[[\]]/g, '');
      resolver.names.set('private.example', [[address]]);
      await expectForbidden({ url: `http://private.example:${portOf(place)}/` });
      await expectForbidden({ url: `https://private.example:${portOf(place)}/` });
      expect(captures.refused.splice(0)).toEqual(['private.example', 'private.example']);
    }
  });

  it('is refused when any address of its name is not public', async () => {
    resolver.names.set('mixed.example', [['93.184.216.34', '127.0.0.1']]);
    await expectForbidden({ url: `http://mixed.example:${portOf(canaries.places[0] ?? '')}/` });
  });

  it('is refused after a redirect', async () => {
    for (const place of [...canaries.places, '169.254.169.254', 'localhost', '2130706433']) {
      for (const scheme of ['http', 'https']) {
        const to = encodeURIComponent(`${scheme}://${place}/`);
        await expectForbidden({ url: site.url(`/redirect?to=${to}`) });
        // The operator's hint names the target of the redirect, not the site that sent it.
        expect(captures.refused.splice(0)).toEqual([new URL(`${scheme}://${place}/`).hostname]);
      }
    }
  });

  it.each([
    ['file:///etc/passwd', 'target_forbidden'],
    ['chrome://version/', 'target_forbidden'],
    ['data:text/html,x', 'target_forbidden'],
    // Chromium does not take these for URLs at all.
    ['view-source:http://127.0.0.1/', 'target_not_a_page'],
    ['javascript:1', 'target_not_a_page'],
  ])('is refused after a redirect to %s', async (to, code) => {
    const error = await captures.failure({ url: site.url(`/redirect?to=${encodeURIComponent(to)}`) });
    expect(error.code).toBe(code);
  });

  it.each(Object.entries(DEPARTURES))('is refused when the page navigates there by %s', async (_, write) => {
    for (const place of canaries.places) {
      site.pages.set('/', write(place));
      await expectForbidden({ url: site.url('/'), delay_ms: 200 });
      await expectForbidden({ html: write(place), delay_ms: 200 });
    }
  });

  it('is not reached through a name that resolves to another address later', async () => {
    resolver.names.set('rebind.example', [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']]);
    const again = `for (let i = 0; i < 20; i++) fetch('/again?' + i, { headers: { connection: 'close' } })`;
    site.pages.set(
      '/',
      page(`<script>${again}; new WebSocket('ws://' + location.host); open('/')</script><iframe src="/">`),
    );
    const { facts } = await captures.make({ url: site.url('/', 'rebind.example'), delay_ms: 500 });
    expect(facts).toMatchObject({ httpStatus: 200, blocked: { forbidden: 0 } });
    expect(resolver.asked).toEqual(['rebind.example']);
    // The next capture resolves the name again, and the guard refuses it.
    await expectForbidden({ url: site.url('/', 'rebind.example') });
  });

  it.each([
    'file:///etc/passwd',
    'chrome://version/',
    'view-source:http://127.0.0.1/',
    'devtools://devtools/',
  ])('is not reached by a page that navigates to %s', async (address) => {
    const leave = `onload = () => { location = '${address}'; open('${address}') }`;
    site.pages.set('/', page(`<iframe src="${address}"></iframe><script>${leave}</script>`));
    const { facts } = await captures.make({ url: site.url('/'), delay_ms: 200 });
    expect(facts).toMatchObject({ title: 'captured', finalUrl: site.url('/') });
  });
});

describe('a document that cannot be loaded', () => {
  it.each(['http', 'https'])('fails with what is missing, over %s', async (scheme) => {
    expect(
      (await captures.failure({ url: `${scheme}://nobody.example:${site.port}/` })).toBody(),
    ).toMatchObject({
      code: 'target_dns_error',
      net_error: 'net::ERR_NAME_NOT_RESOLVED',
      detail: `Could not resolve nobody.example:${site.port}`,
      phase: 'navigate',
    });
    expect((await captures.failure({ url: `${scheme}://127.0.0.1:${NOBODY}/` })).toBody()).toMatchObject({
      code: 'target_connection_failed',
      net_error: 'net::ERR_CONNECTION_REFUSED',
    });
  });

  it.each(['http', 'https'])('may be tried again when no name server answered, over %s', async (scheme) => {
    resolver.failures.set('slow.example', new Error('getaddrinfo EAI_AGAIN slow.example'));
    const error = await captures.failure({ url: `${scheme}://slow.example:${site.port}/` });
    expect(error.toBody()).toMatchObject({
      code: 'dns_unavailable',
      net_error: 'net::ERR_NAME_RESOLUTION_FAILED',
      detail: `No name server answered for slow.example:${site.port}`,
      retryable: true,
    });
  });

  it('fails when its server hangs up', async () => {
    expect((await captures.failure({ url: site.url('/empty') })).code).toBe('target_empty_response');
    const reset = (await captures.failure({ url: site.url('/reset') })).toBody();
    expect(reset).toMatchObject({ code: 'target_connection_failed', net_error: 'net::ERR_CONNECTION_RESET' });
  });

  it('names the host that a redirect led to', async () => {
    const error = await captures.failure({
      url: site.url(`/redirect?to=http://nobody.example:${site.port}/`),
    });
    expect(error.toBody()).toMatchObject({
      code: 'target_dns_error',
      detail: `Could not resolve nobody.example:${site.port}`,
    });
  });
});

describe('a subresource', () => {
  it('counts as blocked when the guard refuses it, and as failed when its host does not resolve', async () => {
    const [place] = canaries.places;
    site.pages.set(
      '/',
      page(`<img src="http://${place}/a"><img src="http://nobody.example:${site.port}/b"><img src="/c">`),
    );
    const { facts, traffic } = await captures.make({ url: site.url('/') });
    expect(facts).toMatchObject({ blocked: { forbidden: 1 }, failedRequests: 1, httpStatus: 200 });
    expect(traffic.requests).toBe(4);
    expect(traffic.bytes).toBeGreaterThan(500);
  });

  it('counts as failed when only its name cannot be resolved, and fails the capture when no name can', async () => {
    site.pages.set('/', page(`<img src="http://slow.example:${site.port}/a">`));
    resolver.failures.set('slow.example', new Error('getaddrinfo EAI_AGAIN slow.example'));
    const { facts } = await captures.make({ url: site.url('/') });
    expect(facts).toMatchObject({ failedRequests: 1, httpStatus: 200 });
    resolver.failures.set('slow.example', new NameServersAwayError('No name server answers.'));
    expect((await captures.failure({ url: site.url('/') })).code).toBe('dns_unavailable');
  });

  it('counts as blocked in addition to what an option blocks', async () => {
    const [place] = canaries.places;
    site.pages.set('/', page(`<img src="http://${place}/a"><img src="/dropped.png">`));
    const { facts } = await captures.make({ url: site.url('/'), block_urls: ['*dropped*'] });
    expect(facts).toMatchObject({ blocked: { rules: 1, forbidden: 1 }, failedRequests: 0 });
  });
});

describe('a page beyond the limits', () => {
  const limited = async <T>(limits: object, use: (captures: Captures) => Promise<T>): Promise<T> => {
    const own = await Captures.open(guard(), resolver, {
      limits: { requests: 100, connections: 64, bytes: 1e8, ...limits },
    });
    try {
      return await use(own);
    } finally {
      await own.close();
    }
  };

  it('is captured without what it requests beyond the limit', async () => {
    site.pages.set('/', page(Array.from({ length: 9 }, (_, i) => `<img src="/${i}">`).join('')));
    const { facts } = await limited({ requests: 5 }, (own) => own.make({ url: site.url('/') }));
    expect(facts).toMatchObject({ blocked: { forbidden: 5 }, failedRequests: 0 });
  });

  it('fails when the limit stops its document', async () => {
    const error = await limited({ requests: 1 }, (own) =>
      own.failure({ url: site.url(`/redirect?to=${encodeURIComponent('/')}`) }),
    );
    expect(error.code).toBe('resource_limit');
  });

  it('fails once it has used up its bytes', async () => {
    site.pages.set('/', page('<img src="/big">'));
    await limited({ bytes: 100_000 }, async (own) => {
      expect((await own.failure({ url: site.url('/') })).code).toBe('resource_limit');
      expect((await own.failure({ url: site.url('/big') })).code).toBe('resource_limit');
      expect((await own.failure({ html: `<img src="${site.url('/big')}">` })).code).toBe('resource_limit');
    });
  });
});
