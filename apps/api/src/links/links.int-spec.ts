import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';
import { LinkSigner } from '../../../../test/support/links.js';

type Caller = Client & { readonly accountId: string };

const PAGE = { url: 'https://example.com/' };

describe('POST /v1/links', () => {
  let api: TestApi;
  let caller: Caller;

  beforeAll(async () => {
    api = await startApi();
    caller = await api.client();
  });

  afterAll(async () => {
    await api.close();
  });

  const sign = (body: Json, headers: Record<string, string> = {}): Promise<Response> =>
    caller.post('/v1/links', body, headers);
  const linkOf = async (body: Json): Promise<string> =>
    String((await json(sign({ expires_in_s: 60, ...body }))).url);
  const faultsOf = async (body: Json): Promise<unknown> => (await json(sign(body))).errors;

  it('makes a link that shows the capture, for a key that had no signing secret', async () => {
    const owner = await api.client();
    const before = Math.floor(Date.now() / 1_000);
    const response = await owner.post('/v1/links', { ...PAGE, format: 'webp', expires_in_s: 3_600 });
    expect(response.status).toBe(200);
    const { url, expires_at: expiresAt, ...rest } = await json(response);
    expect(rest).toEqual({});
    const expires = Date.parse(String(expiresAt)) / 1_000;
    expect(expires).toBeGreaterThanOrEqual(before + 3_600);
    expect(String(url)).toMatch(
      new RegExp(
        `^${api.url}/v1/render\\?key=\\w{16}&url=https%3A%2F%2Fexample.com%2F&format=webp&expires=${expires}&signature=v1\\.[\\w-]{43}$`,
      ),
    );
    const picture = fetch(String(url));
    await (await api.claim(owner)).succeed(Buffer.from('a picture'));
    expect(await (await picture).text()).toBe('a picture');
  });

  it.each<[string, Json]>([
    ['hostile texts', { ...PAGE, reference: `$&=#?%41+;,~!'()` }],
    ['Unicode and spaces', { ...PAGE, reference: ' ü 漢字 \u{1f4da} \u202e+ ' }],
    ['a URL with a query', { url: 'https://example.com/a?b=c%20d&e=+&signature=v1.x#f' }],
    ['lists', { ...PAGE, hide_selectors: ['a, b', '[href="&x=+%"]'], fail_on_status: ['404', '5xx'] }],
    ['an empty list', { ...PAGE, block_urls: [] }],
    [
      'numbers and flags',
      { ...PAGE, latitude: -0.0000001, longitude: 13.4, full_page: true, javascript: false },
    ],
    [
      'a style sheet that loads nothing',
      { ...PAGE, css: 'p { background: url(data:image/gif;base64,R0lG) }' },
    ],
    ['the time in the cache', { ...PAGE, cache_ttl_s: 60, stale_ttl_s: 30, cache_key: 'a b' }],
  ])('makes a link with the same options: %s', async (_, options) => {
    const owner = await api.client();
    const { url } = await json(owner.post('/v1/links', { ...options, expires_in_s: 60 }));
    const answer = fetch(String(url));
    const claimed = await api.claim(owner);
    await claimed.succeed();
    expect((await answer).status).toBe(200);
    const { options: stored } = await json(owner.get(`/v1/captures/${claimed.id}`));
    expect(stored).toEqual({ cache_ttl_s: 86_400, ...options });
  });

  it('refuses what the link would refuse, with the same faults', async () => {
    const options = { ...PAGE, quality: 80, js: '1', headers: {}, force: true, outputs: [], cache_ttl_s: 5 };
    const faults = (await faultsOf({ ...options, expires_in_s: 60 })) as Json[];
    expect(faults).toMatchObject([
      { pointer: '/js', code: 'not_for_route' },
      { pointer: '/headers', code: 'not_for_route' },
      { pointer: '/force', code: 'not_for_route' },
      { pointer: '/outputs', code: 'not_for_route' },
      { pointer: '/quality', code: 'not_for_format' },
      { pointer: '/cache_ttl_s', code: 'out_of_range' },
    ]);
    const signer = await LinkSigner.create(api, caller);
    const link = await signer.link(
      `url=https%3A%2F%2Fexample.com%2F&quality=80&js=1&headers={}&force=true&outputs=&cache_ttl_s=5&expires=1900000000`,
    );
    expect((await json(fetch(link))).errors).toEqual(faults);
  });

  it.each<[string, unknown]>([
    ['click_selector', 'button.delete'],
    ['bypass_csp', true],
    ['compare_with', 'previous'],
    ['wait_for_function', 'fetch("/a")'],
    ['basic_auth_password', 'x'],
    ['css', 'input[value^=a] { background: url(https://a.example/a) }'],
  ])('refuses what must not be public, when it is signed and when it is used: %s', async (name, value) => {
    const refused = [expect.objectContaining({ pointer: `/${name}`, code: 'not_for_route' })];
    expect(await faultsOf({ ...PAGE, [name]: value, expires_in_s: 60 })).toEqual(refused);
    const signer = await LinkSigner.create(api, caller);
    const text = encodeURIComponent(String(value));
    const link = await signer.link(`url=https%3A%2F%2Fexample.com%2F&${name}=${text}&expires=1900000000`);
    const response = await fetch(link);
    expect([response.status, (await json(Promise.resolve(response))).errors]).toEqual([400, refused]);
  });

  it.each<[string, Json, Json]>([
    ['no target', { expires_in_s: 60 }, { pointer: '/url', code: 'required' }],
    ['a null', { ...PAGE, format: null, expires_in_s: 60 }, { pointer: '/format' }],
    [
      'an unknown field',
      { ...PAGE, widht: 1, expires_in_s: 60 },
      { pointer: '/widht', code: 'unknown_field' },
    ],
    ['no life', PAGE, { pointer: '/expires_in_s', code: 'required' }],
    ['a life of no time', { ...PAGE, expires_in_s: 0 }, { pointer: '/expires_in_s', code: 'out_of_range' }],
    ['a life as text', { ...PAGE, expires_in_s: '60' }, { pointer: '/expires_in_s', code: 'wrong_type' }],
    [
      'a life of more than ten years',
      { ...PAGE, expires_in_s: 3_654 * 86_400 },
      { pointer: '/expires_in_s', code: 'out_of_range' },
    ],
    ['a key', { ...PAGE, key: 'A'.repeat(16), expires_in_s: 60 }, { pointer: '/key', code: 'unknown_field' }],
    ['a time', { ...PAGE, expires: 1_900_000_000, expires_in_s: 60 }, { pointer: '/expires' }],
    [
      'a webhook',
      { ...PAGE, webhook_url: 'https://a.example', expires_in_s: 60 },
      { pointer: '/webhook_url' },
    ],
    [
      'an unsafe name',
      JSON.parse('{"__proto__":{"a":1},"url":"https://a.example","expires_in_s":9}') as Json,
      { pointer: '/__proto__' },
    ],
    [
      'a link too long',
      { ...PAGE, css: 'é'.repeat(1_500), expires_in_s: 60 },
      { pointer: '', code: 'too_long' },
    ],
  ])('names the field at fault: %s', async (_, body, fault) => {
    expect(await faultsOf(body)).toEqual([expect.objectContaining(fault)]);
  });

  it.each<[string, unknown]>([
    ['a list', []],
    ['a text', 'x'],
    ['null', null],
  ])('refuses %s as a body', async (_, body) => {
    const [fault] = (await faultsOf(body as Json)) as Json[];
    expect(fault).toMatchObject({ pointer: '', code: 'wrong_type' });
  });

  it('refuses a target that is not public, and a caller without a key', async () => {
    expect(await statusAndCode(sign({ url: 'http://10.0.0.1/', expires_in_s: 60 }))).toEqual([
      403,
      'target_forbidden',
    ]);
    const body = JSON.stringify(PAGE);
    const headers = { 'content-type': 'application/json' };
    expect((await caller.withKey(null).send('POST', '/v1/links', { headers, body })).status).toBe(401);
  });

  it('makes links without an expiry for keys that allow them', async () => {
    const owner = await api.client();
    await LinkSigner.create(api, owner, { linksExpire: false });
    const link = await json(owner.post('/v1/links', PAGE));
    expect(link).toEqual({ url: expect.not.stringContaining('expires'), expires_at: null });
    expect(await json(owner.post('/v1/links', { ...PAGE, expires_in_s: 60 }))).toMatchObject({
      expires_at: expect.any(String),
    });
  });

  it('takes an Idempotency-Key, which changes nothing', async () => {
    const twice = [1, 2].map(() => sign({ ...PAGE, expires_in_s: 60 }, { 'idempotency-key': 'a' }));
    expect((await Promise.all(twice)).map(({ status }) => status)).toEqual([200, 200]);
    const refused = await sign({ ...PAGE, expires_in_s: 60 }, { 'idempotency-key': '' });
    expect((await json(refused)).errors).toMatchObject([{ pointer: 'Idempotency-Key' }]);
  });

  it('makes links that work at once after a rotation, of which other processes do not know yet', async () => {
    const owner = await api.client();
    const signer = await LinkSigner.create(api, owner);
    const make = async (): Promise<string> =>
      String(
        (await json(owner.post('/v1/links', { ...PAGE, quality: 1, format: 'webp', expires_in_s: 60 }))).url,
      );
    const { url } = await json(owner.post('/v1/links', { url: 'https://example.com/', expires_in_s: 60 }));
    // The process knows the first secret.
    const shown = fetch(`${String(url)}x`);
    expect((await shown).status).toBe(403);
    await signer.secrets.rotate(signer.keyId);
    const answer = fetch(await make());
    await (await api.claim(owner)).succeed();
    expect((await answer).status).toBe(200);
  });

  describe('begins the link', () => {
    it('with the scheme and the host of the request', async () => {
      expect(await linkOf(PAGE)).toMatch(`${api.url}/v1/render?key=`);
    });

    it('with those that a trusted proxy reports', async () => {
      const behind = await startApi({ TRUSTED_PROXIES: '1' });
      const client = await behind.client();
      const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'img.example' };
      const { url } = await json(client.post('/v1/links', { ...PAGE, expires_in_s: 60 }, forwarded));
      expect(url).toMatch(/^https:\/\/img\.example\/v1\/render\?/);
      await behind.close();
      expect(await json(sign({ ...PAGE, expires_in_s: 60 }, forwarded))).toMatchObject({
        url: expect.stringMatching(`^${api.url}/`),
      });
    });

    it('with PUBLIC_URL', async () => {
      const named = await startApi({ PUBLIC_URL: 'https://img.example/shots/' });
      const { url } = await json((await named.client()).post('/v1/links', { ...PAGE, expires_in_s: 60 }));
      expect(url).toMatch(/^https:\/\/img\.example\/shots\/v1\/render\?/);
      await named.close();
    });
  });
});
