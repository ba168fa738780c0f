import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '@app/auth';
import { Clock, ManualClock } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { expiresIn, LinkSigner } from '../../../../test/support/links.js';
import { exchange, hangUp } from '../../../../test/support/raw-http.js';
import { secondsFrom } from '../../../../test/support/seconds-from.js';

type Caller = Client & { readonly accountId: string };

/** A page that no other test captures. */
const page = (): string => `url=https%3A%2F%2Fexample.com%2F${randomBytes(6).toString('hex')}`;

describe('GET /v1/render', () => {
  let api: TestApi;
  let caller: Caller;
  let signer: LinkSigner;

  beforeAll(async () => {
    api = await startApi();
    caller = await api.client();
    signer = await LinkSigner.create(api, caller);
  });

  afterAll(async () => {
    hangUp();
    await api.close();
  });

  /** The faults of a link whose signature is valid. */
  const faultsOf = async (query: string): Promise<unknown> =>
    (await json(fetch(await signer.link(query)))).errors;

  /** The first request of a link, which makes the capture. */
  const firstAnswer = async (link: string, of: Caller, init: RequestInit = {}): Promise<Response> => {
    const answer = fetch(link, init);
    await (await api.claim(of)).succeed(Buffer.from('a picture'));
    return answer;
  };
  const cacheOf = ({ status, headers }: Response) => [status, headers.get('x-cache')];
  /** Makes the captures of an account older, for everyone who reads them from the database. */
  const age = async ({ accountId }: Caller, seconds: number): Promise<void> => {
    await api.database.query(
      `UPDATE cache_entries SET captured_at = captured_at - $2 * interval '1 s' WHERE account_id = $1`,
      [accountId, seconds],
    );
  };

  it('shows a capture to everyone who has the link', async () => {
    const link = await signer.link(`${page()}&format=png&${expiresIn(100_000)}`);
    const response = await firstAnswer(link, caller);
    expect([response.status, await response.text()]).toEqual([200, 'a picture']);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      'x-capture-id': expect.any(String),
      'x-cache': 'MISS',
      'cache-control': 'public, max-age=86400, stale-while-revalidate=0',
      age: '0',
      etag: expect.any(String),
    });
    expect(headers).not.toHaveProperty('vary');
    expect(headers).not.toHaveProperty('ratelimit');
    const record = await json(caller.get(`/v1/captures/${headers['x-capture-id'] ?? ''}`));
    expect(record).toMatchObject({ source: 'sync', billable: true });
  });

  it('answers the next visitors from the cache, and 304 if they have the file', async () => {
    const link = await signer.link(`${page()}&cache_ttl_s=600&stale_ttl_s=60&${expiresIn(100_000)}`);
    const etag = (await firstAnswer(link, caller)).headers.get('etag') ?? '';
    const hits = await Promise.all(Array.from({ length: 20 }, () => fetch(link)));
    for (const hit of hits) {
      expect([...cacheOf(hit), await hit.text()]).toEqual([200, 'HIT', 'a picture']);
      expect(Object.fromEntries(hit.headers)).toMatchObject({
        'cache-control': 'public, max-age=600, stale-while-revalidate=60',
        'x-capture-billable': 'false',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      });
    }
    const known = await fetch(link, { headers: { 'if-none-match': etag } });
    expect([known.status, known.headers.get('cache-control'), await known.text()]).toEqual([
      304,
      'public, max-age=600, stale-while-revalidate=60',
      '',
    ]);
    expect(known.headers.get('access-control-allow-origin')).toBe('*');
    const part = await fetch(link, { headers: { range: 'bytes=2-4' } });
    expect([part.status, await part.text()]).toEqual([206, 'pic']);
  });

  it('may be kept by caches until it expires, and no longer', async () => {
    const url = `${page()}&cache_ttl_s=600&stale_ttl_s=600`;
    /** The seconds from now in which a cache may show the answer: as fresh, and in all. */
    const seconds = async (life: number): Promise<number[]> => {
      const { headers } = await fetch(await signer.link(`${url}&${expiresIn(life)}`));
      const [age = 0, fresh = 0, stale = 0] =
        /^(\d+) public, max-age=(\d+), stale-while-revalidate=(\d+)$/
          .exec(`${headers.get('age') ?? ''} ${headers.get('cache-control') ?? ''}`)
          ?.slice(1)
          .map(Number) ?? [];
      return [fresh - age, fresh + stale - age];
    };
    await firstAnswer(await signer.link(`${url}&${expiresIn(60)}`), caller);
    // The life of a link is signed before its request, which may be some seconds later on a busy machine.
    const [fresh = 0, inAll] = await seconds(300);
    expect(fresh).toBeGreaterThan(200);
    expect([fresh <= 300, inAll]).toEqual([true, fresh]);
    const [whole = 0, part = 0] = await seconds(900);
    expect(part - whole).toBeGreaterThan(200);
    expect(part).toBeLessThanOrEqual(900);
    const [first = 0, all = 0] = await seconds(100_000);
    expect(all - first).toBe(600);
  });

  it('is one capture for other links to the same picture, and for POST /v1/capture', async () => {
    const url = page();
    await firstAnswer(await signer.link(`${url}&${expiresIn(60)}`), caller);
    const other = await fetch(await signer.link(`format=png&${url}&filename=a&${expiresIn(50)}`));
    expect(cacheOf(other)).toEqual([200, 'HIT']);
    expect(other.headers.get('content-disposition')).toContain('a.png');
    const options = { url: decodeURIComponent(url.slice('url='.length)), cache_ttl_s: 60 };
    expect(cacheOf(await caller.capture(options))).toEqual([200, 'HIT']);
  });

  it('answers with the file whatever the client accepts', async () => {
    const link = await signer.link(`${page()}&${expiresIn(60)}`);
    const headers = { accept: 'application/json', prefer: 'wait=1' };
    const responses = [await firstAnswer(link, caller, { headers }), await fetch(link, { headers })];
    for (const response of responses) {
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    }
  });

  describe('at a limit of the account', () => {
    it('answers with an old file, or with the error', async () => {
      const client = await api.client({ allowance: 1 });
      const own = await LinkSigner.create(api, client);
      const link = await own.link(`${page()}&cache_ttl_s=60&${expiresIn(600)}`);
      await firstAnswer(link, client);
      await age(client, 3_600);
      // The process knows the capture for some seconds as it was.
      await eventually('the capture is old', async () => {
        const response = await fetch(link);
        expect([response.status, await response.text()]).toEqual([200, 'a picture']);
        return response.headers.get('x-cache') === 'STALE' && Number(response.headers.get('age')) >= 3_600;
      });
      const none = await fetch(await own.link(`${page()}&${expiresIn(60)}`));
      expect(await statusAndCode(none)).toEqual([402, 'allowance_exhausted']);
    });

    it('has no slot for another capture', async () => {
      const client = await api.client({ concurrency: 1 });
      const own = await LinkSigner.create(api, client);
      const link = await own.link(`${page()}&${expiresIn(60)}`);
      await firstAnswer(link, client);
      const slow = fetch(await own.link(`${page()}&${expiresIn(60)}`));
      const running = await api.claim(client);
      const [known, other] = [await fetch(link), await fetch(await own.link(`${page()}&${expiresIn(60)}`))];
      expect(cacheOf(known)).toEqual([200, 'HIT']);
      expect(await statusAndCode(other)).toEqual([429, 'concurrency_exceeded']);
      expect(other.headers.get('retry-after')).toEqual(secondsFrom(1));
      await running.succeed();
      expect((await slow).status).toBe(200);
    });

    it('counts captures for the rate, and not the answers of the cache', async () => {
      const client = await api.client({ rate: 1, burst: 2 });
      const own = await LinkSigner.create(api, client);
      const link = await own.link(`${page()}&${expiresIn(60)}`);
      await firstAnswer(link, client);
      await firstAnswer(await own.link(`${page()}&${expiresIn(60)}`), client);
      const hits = await Promise.all(Array.from({ length: 50 }, () => fetch(link)));
      expect(new Set(hits.map(({ status }) => status))).toEqual(new Set([200]));
      const refused = await fetch(await own.link(`${page()}&${expiresIn(60)}`));
      expect(await statusAndCode(refused)).toEqual([429, 'rate_limited']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      // Visitors do not learn what the account has left.
      expect(refused.headers.get('ratelimit')).toBeNull();
      expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    });
  });

  describe('refuses', () => {
    it('links without a valid signature, all with the same body', async () => {
      const query = `${page()}&${expiresIn(60)}`;
      const link = await signer.link(query);
      const unknown = link.replace(signer.keyId, 'A'.repeat(16));
      const links = [
        `${api.url}/v1/render`,
        `${api.url}/v1/render?`,
        `${api.url}/v1/render?url=https://example.com`,
        `${api.url}/v1/render?key=${signer.keyId}&${query}`,
        unknown,
        link.slice(0, -1),
        `${link}&`,
        `${link}&format=png`,
        link.replace('expires=', 'expires=9'),
        link.replace('%2F', '/'),
        link.replace('%3A', '%3a'),
        link.replace('key=', 'Key='),
        link.replace('&signature=', '&signature=v1.x&signature='),
      ];
      const bodies = await Promise.all(
        links.map(async (each) => {
          const response = await fetch(each);
          const { request_id: _, ...body } = await json(response);
          return [response.status, response.headers.get('cache-control'), body];
        }),
      );
      const [first] = bodies;
      expect(first).toMatchObject([403, 'no-store', { code: 'signature_invalid', retryable: false }]);
      for (const each of bodies) expect(each).toEqual(first);
    });

    it('a key in a header, in place of a signature', async () => {
      expect((await caller.get('/v1/render?url=https://example.com')).status).toBe(403);
    });

    it('expired links, whatever else is wrong with them', async () => {
      const link = await signer.link(`${page()}&${expiresIn(-1)}&nonsense=1`);
      expect(await statusAndCode(fetch(link))).toEqual([410, 'link_expired']);
    });

    it('a link as soon as it expires, although the process has just answered it', async () => {
      const clock = new ManualClock(new Date());
      const own = await startApi({}, api, [[Clock, clock]]);
      try {
        const expiresS = Math.floor(clock.now().getTime() / 1_000) + 3;
        const link = await (await LinkSigner.create(own, caller)).link(`${page()}&expires=${expiresS}`);
        await firstAnswer(link, caller);
        clock.set(new Date(expiresS * 1_000 - 1));
        expect(cacheOf(await fetch(link))).toEqual([200, 'HIT']);
        clock.set(new Date(expiresS * 1_000));
        expect(await statusAndCode(fetch(link))).toEqual([410, 'link_expired']);
      } finally {
        await own.close();
      }
    });

    it('a link that expires too late, or never', async () => {
      expect(await faultsOf(`${page()}&${expiresIn(11 * 365 * 86_400)}`)).toMatchObject([
        { pointer: '/expires', code: 'out_of_range' },
      ]);
      expect(await faultsOf(page())).toMatchObject([{ pointer: '/expires', code: 'required' }]);
    });

    it('invalid options by their names, once the signature is verified', async () => {
      expect(
        await faultsOf(`${page()}&${expiresIn(60)}&format=png&f%6Frmat=png&js=1&widht=3&filename=%FF`),
      ).toMatchObject([
        { pointer: '/filename', code: 'invalid_characters' },
        { pointer: '/format', code: 'repeated' },
        { pointer: '/js', code: 'not_for_route' },
        { pointer: '/widht', code: 'unknown_field' },
      ]);
    });

    it('two keys, and a signature within', async () => {
      const two = `${page()}&${expiresIn(60)}&key=${signer.keyId}&signature=x`;
      expect(await faultsOf(two)).toMatchObject([
        { pointer: '/key', code: 'repeated' },
        { pointer: '/signature', code: 'unknown_field' },
      ]);
    });

    it('a target that is not public', async () => {
      const link = await signer.link(`url=http%3A%2F%2F127.0.0.1%2F&${expiresIn(60)}`);
      expect(await statusAndCode(fetch(link))).toEqual([403, 'target_forbidden']);
    });

    it('a query of more than 8,192 bytes', async () => {
      const of = async (bytes: number): Promise<Response> => {
        const start = await signer.link(`${page()}&${expiresIn(60)}&quality=1&filename=`);
        const missing = bytes - (start.split('?')[1] ?? '').length;
        return fetch(
          await signer.link(`${page()}&${expiresIn(60)}&quality=1&filename=${'a'.repeat(missing)}`),
        );
      };
      // The signature is verified, and the options are refused.
      expect(await statusAndCode(of(8_192))).toEqual([400, 'invalid_request']);
      expect(await statusAndCode(of(8_193))).toEqual([414, 'link_too_long']);
    });

    it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s', async (method) => {
      const response = await fetch(await signer.link(`${page()}&${expiresIn(60)}`), { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    });
  });

  it('takes ASCII only, as every route: browsers encode everything else before they send it', async () => {
    const link = await signer.link(Buffer.from(`${page()}&${expiresIn(60)}&filename=ü`).toString('latin1'));
    const request = `GET ${link.slice(api.url.length)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const answer = await exchange(api.url, Buffer.from(request, 'latin1'));
    expect([answer.statuses, (JSON.parse(answer.body) as Json).code]).toEqual([[400], 'invalid_request']);
  });

  it('takes the absolute form of a request target', async () => {
    const link = await signer.link(`${page()}&${expiresIn(60)}&quality=1`);
    const request = `GET ${link} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const answer = await exchange(api.url, request);
    expect([answer.statuses, (JSON.parse(answer.body) as Json).code]).toEqual([[400], 'invalid_request']);
  });

  it('accepts links of both secrets while one is rotated out, and refuses those of a retired one', async () => {
    const rotating = await LinkSigner.create(api, await api.client());
    const query = `${page()}&${expiresIn(60)}&quality=1`;
    const old = await rotating.link(query);
    const statusOf = async (link: string): Promise<number> => (await fetch(link)).status;
    expect(await statusOf(old)).toBe(400);
    await rotating.secrets.rotate(rotating.keyId);
    const fresh = await rotating.link(query);
    expect(fresh).not.toBe(old);
    await eventually('the new secret is known', async () => (await statusOf(fresh)) === 400);
    expect(await statusOf(old)).toBe(400);
    await rotating.secrets.retire(rotating.keyId);
    await eventually('the old secret is refused', async () => (await statusOf(old)) === 403);
    expect(await statusOf(fresh)).toBe(400);
  });

  it('refuses links of a revoked key within 5 s, also those that were valid before', async () => {
    const client = await api.client();
    const own = await LinkSigner.create(api, client);
    const link = await own.link(`${page()}&${expiresIn(60)}`);
    await firstAnswer(link, client);
    expect(cacheOf(await fetch(link))).toEqual([200, 'HIT']);
    await api.app.get(ApiKeysService, { strict: false }).revoke(own.keyId);
    await eventually('the link is refused', async () => (await fetch(link)).status === 403);
  });

  it('accepts a link without an expiry only of a key that allows it', async () => {
    const client = await api.client();
    const own = await LinkSigner.create(api, client, { linksExpire: false });
    expect((await firstAnswer(await own.link(page()), client)).status).toBe(200);
  });

  describe('is open to pages of all sites', () => {
    it('with its errors, and no other route is', async () => {
      const query = `${page()}&${expiresIn(60)}&quality=1`;
      const open = [await signer.link(query), `${api.url}/v1/render?x=1`];
      for (const url of open) {
        const { headers } = await fetch(url, { headers: { origin: 'https://other.example' } });
        expect(headers.get('access-control-allow-origin')).toBe('*');
        expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
        expect(headers.get('access-control-expose-headers')).toContain('X-Capture-Id');
        expect(headers.get('access-control-allow-credentials')).toBeNull();
      }
      for (const path of ['/v1/version', '/v1/usage', '/v1/render/x', '/v1/links', '/nowhere']) {
        const { headers } = await caller.get(path, { origin: 'https://other.example' });
        expect([path, headers.get('access-control-allow-origin')]).toEqual([path, null]);
        expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      }
    });

    it('also for requests that a browser asks about before', async () => {
      const response = await fetch(`${api.url}/v1/render?x=1`, { method: 'OPTIONS' });
      expect(response.status).toBe(204);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': '*',
      });
    });

    it('with headers that are too many', async () => {
      const headers = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, '1']));
      const response = await fetch(`${api.url}/v1/render?x=1`, { headers });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([431, '*']);
    });
  });

  describe('with on_error=image', () => {
    it('answers errors with a picture of their title, and the same status', async () => {
      const links: [string, number, string][] = [
        [`${api.url}/v1/render?on_error=image`, 403, 'The link is not valid'],
        [await signer.link(`${page()}&on_error=image&${expiresIn(-5)}`), 410, 'The link has expired'],
        [await signer.link(`${page()}&on_error=image&${expiresIn(60)}&x=1`), 400, 'The request is not valid'],
        [`${await signer.link('')}&on_error=image&${'a'.repeat(8_192)}`, 414, 'The link is too long'],
      ];
      for (const [link, status, title] of links) {
        const response = await fetch(link);
        const text = await response.text();
        expect([response.status, response.headers.get('content-type')]).toEqual([
          status,
          'image/svg+xml; charset=utf-8',
        ]);
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(text).toMatch(/^<svg .*<\/svg>$/);
        expect(text).toContain(title);
        expect(text).not.toMatch(/script|style=|href/);
      }
    });

    it('answers the error of a capture with its title', async () => {
      const client = await api.client({ allowance: 0 });
      const own = await LinkSigner.create(api, client);
      const response = await fetch(await own.link(`${page()}&on_error=image&${expiresIn(60)}`));
      expect([response.status, await response.text()]).toEqual([
        402,
        expect.stringContaining('The allowance is used up'),
      ]);
    });

    it('answers HEAD without the picture', async () => {
      const response = await fetch(`${api.url}/v1/render?on_error=image`, { method: 'HEAD' });
      expect([response.status, await response.text()]).toEqual([403, '']);
      expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    });

    it('is read as it is written: any other error is a problem document', async () => {
      for (const query of ['on_error=imag%65', 'xon_error=image', 'on_error=images']) {
        const response = await fetch(`${api.url}/v1/render?${query}`);
        expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      }
    });
  });

  it('cancels a capture whose only viewer goes away, without a charge', async () => {
    const client = await api.client();
    const own = await LinkSigner.create(api, client);
    const controller = new AbortController();
    const answer = fetch(await own.link(`${page()}&${expiresIn(60)}`), { signal: controller.signal });
    const { id } = await api.claim(client);
    controller.abort();
    await expect(answer).rejects.toThrow();
    await eventually('the capture is canceled', async () => {
      const { status } = await json(client.get(`/v1/captures/${id}`));
      return status === 'canceled';
    });
    expect(await json(client.get('/v1/usage'))).toMatchObject({ used: 0 });
  });

  it('warms the cache by HEAD, which captures and answers without the file', async () => {
    const link = await signer.link(`${page()}&${expiresIn(60)}`);
    const head = await firstAnswer(link, caller, { method: 'HEAD' });
    expect([...cacheOf(head), head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      'MISS',
      '9',
      '',
    ]);
    const shown = await fetch(link);
    expect([...cacheOf(shown), await shown.text()]).toEqual([200, 'HIT', 'a picture']);
    const again = await fetch(link, { method: 'HEAD' });
    expect([...cacheOf(again), await again.text()]).toEqual([200, 'HIT', '']);
  });

  it('throttles addresses that send invalid links, whose valid ones still work', async () => {
    const strict = await startApi({ AUTH_FAILURES_PER_MINUTE: '3' });
    const client = await strict.client();
    const [own, other] = [
      await LinkSigner.create(strict, client),
      await LinkSigner.create(strict, await strict.client()),
    ];
    const valid = await own.link(`${page()}&${expiresIn(60)}&quality=1`);
    expect((await fetch(valid)).status).toBe(400);
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await fetch(`${valid}x`)).status);
    expect(statuses).toEqual([403, 403, 403, 429, 429]);
    expect((await fetch(valid)).status).toBe(400);
    // A key that is new here gets in, one a second.
    expect((await fetch(await other.link(`${page()}&${expiresIn(60)}&quality=1`))).status).toBe(400);
    // Neither are keys in headers affected: their failures are counted apart.
    expect((await client.withKey('cap_wrong').get('/v1/usage')).status).toBe(401);
    await strict.close();
  });
});
