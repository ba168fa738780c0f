import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { browserEnv, documentTitle } from '../../../../test/support/browser.js';
import { authorizationOf } from '../../../../test/support/loopback-egress.js';
import { BrowserPoolService } from '../slots/browser-pool.service.js';
import type { PageLease } from './page-lease.js';

// A browser is started, possibly on a busy machine.
jest.setTimeout(60_000);

const CREDENTIAL = { username: 'context', password: 'of this proxy', url: 'http://credential.invalid/' };
const GIVEN = authorizationOf(CREDENTIAL);

interface Arrival {
  readonly url: string;
  readonly proxyAuthorization: string | undefined;
  readonly authorization: string | undefined;
}

/** A proxy that answers every address itself, and notes what reaches it. */
const arrivals: Arrival[] = [];
const proxy = http.createServer((request, response) => {
  const { 'proxy-authorization': proxyAuthorization, authorization } = request.headers;
  const url = request.url ?? '';
  arrivals.push({ url, proxyAuthorization, authorization });
  if (proxyAuthorization !== GIVEN) {
    response.writeHead(407, { 'proxy-authenticate': 'Basic realm="egress"', 'content-length': 0 }).end();
  } else if (url === CREDENTIAL.url) {
    response.writeHead(204, { 'access-control-allow-origin': '*' }).end();
  } else if (url.endsWith('/locked')) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="site"' }).end('<title>Locked</title>');
  } else if (url.endsWith('/moved')) {
    response.writeHead(302, { location: 'http://other.invalid/page' }).end();
  } else {
    const html = '<title>Page</title><iframe src="http://frame.invalid/"></iframe><img src="/picture">';
    response.writeHead(200, { 'content-type': url.endsWith('/page') ? 'text/html' : 'text/plain' }).end(html);
  }
});

let pool: BrowserPoolService;

beforeAll(async () => {
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const egress = {
    proxyUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    credential: CREDENTIAL,
    usage: () => ({
      requests: 0,
      blocked: 0,
      bytes: 0,
      exceeded: null,
      starved: false,
      unresolved: false,
    }),
    screen: () => undefined,
    netErrorOf: () => undefined,
    restart: () => undefined,
    close: () => Promise.resolve(),
  };
  pool = new BrowserPoolService(browserEnv(), { open: () => Promise.resolve(egress) });
  await pool.start();
});

afterAll(async () => {
  await pool.close();
  proxy.close();
});

afterEach(() => {
  arrivals.length = 0;
});

function withPage<T>(use: (lease: PageLease) => Promise<T>): Promise<T> {
  return pool.withPage(AbortSignal.timeout(30_000), use);
}

const refused = (): Arrival[] => arrivals.filter(({ proxyAuthorization }) => proxyAuthorization !== GIVEN);

describe('ProxyAuthentication', () => {
  it('gives the credential with the first document: one request is refused, and all others bring it', async () => {
    const paused: string[] = [];
    const title = await withPage(async ({ page, cdp, proxyAuthentication }) => {
      cdp.on('Fetch.requestPaused', ({ request }) => paused.push(request.url));
      await proxyAuthentication.authenticateWithDocument();
      await page.goto('http://site.invalid/page');
      return documentTitle(page);
    });
    expect(title).toBe('Page');
    expect(refused().map(({ url }) => url)).toEqual(['http://site.invalid/page']);
    expect(arrivals.map(({ url }) => url)).toEqual(
      expect.arrayContaining(['http://frame.invalid/', 'http://site.invalid/picture']),
    );
    expect(arrivals.map(({ url }) => url)).not.toContain(CREDENTIAL.url);
    expect(paused).toEqual(['http://site.invalid/page']);
  });

  it('gives it with a document that redirects to another host', async () => {
    const status = await withPage(async ({ page, proxyAuthentication }) => {
      await proxyAuthentication.authenticateWithDocument();
      return (await page.goto('http://site.invalid/moved'))?.status();
    });
    expect(status).toBe(200);
    expect(refused().map(({ url }) => url)).toEqual(['http://site.invalid/moved']);
  });

  it.each(['authenticate', 'authenticateWithDocument'] as const)(
    'gives it to no target that asks for a password (%s)',
    async (method) => {
      const status = await withPage(async ({ page, proxyAuthentication }) => {
        await proxyAuthentication[method]();
        return (await page.goto('http://site.invalid/locked'))?.status();
      });
      expect(status).toBe(401);
      expect(arrivals.map(({ authorization }) => authorization).filter(Boolean)).toEqual([]);
    },
  );

  it('gives it with a request of its own, once, after which a navigation asks for nothing', async () => {
    const status = await withPage(async ({ page, proxyAuthentication }) => {
      await Promise.all([proxyAuthentication.authenticate(), proxyAuthentication.authenticate()]);
      await proxyAuthentication.authenticateWithDocument();
      return (await page.goto('http://site.invalid/page'))?.status();
    });
    expect(status).toBe(200);
    expect(refused().map(({ url }) => url)).toEqual([CREDENTIAL.url]);
  });

  it('gives it to one context only', async () => {
    await withPage(async ({ page, proxyAuthentication }) => {
      await proxyAuthentication.authenticateWithDocument();
      await page.goto('http://site.invalid/page');
    });
    const status = await withPage(async ({ page }) =>
      (await page.goto('http://site.invalid/page'))?.status(),
    );
    expect(status).toBe(407);
  });
});
