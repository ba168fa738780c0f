import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { LinkSigner } from '../../../test/support/links.js';
import { CaptureClient, type LinkOptions } from './index.js';

const PAGE = { url: 'https://example.com/page' };

/** Values that encoders write differently. */
const SAMPLES: Record<string, LinkOptions> = {
  'no option': PAGE,
  'reserved signs': {
    url: "https://example.com/a b/?q=1&r=ü+'()*!~#x",
    css: 'a > b::after{content:"é\\201C"}',
  },
  lists: { ...PAGE, hide_selectors: ['.ad', '#b, .c'], block_urls: [] },
  numbers: { ...PAGE, format: 'pdf', pdf_scale: 0.5, latitude: 0.0000001, longitude: -12.25, accuracy: 10 },
  flags: { ...PAGE, full_page: true, scroll: false, cache_ttl_s: 600, reference: undefined },
};

describe('a signed link', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(async () => {
    await api.close();
  });

  const newSigners = async (settings = {}) => {
    const account = await api.client();
    const signer = await LinkSigner.create(api, account, settings);
    const signing = { keyId: signer.keyId, secret: await signer.secret() };
    const here = new CaptureClient({ baseUrl: api.url, signing });
    const there = new CaptureClient({ baseUrl: api.url, key: account.apiKey });
    return { here, there, accountId: account.accountId };
  };

  it.each(Object.entries(SAMPLES))('is the same, signed here or by the service: %s', async (_, options) => {
    const { here, there } = await newSigners();
    const life = { expiresInS: 86_400, onError: 'image' as const };
    // Both read the clock, and may do so in different seconds.
    for (let attempt = 1; ; attempt++) {
      const [mine, theirs] = [await here.links.sign(options, life), await there.links.sign(options, life)];
      if (mine.expires_at !== theirs.expires_at && attempt < 5) continue;
      expect(mine).toEqual(theirs);
      break;
    }
  });

  it('shows the capture, and cannot be changed', async () => {
    const { here, accountId } = await newSigners();
    const { url } = await here.links.sign({ ...PAGE, image_width: 320 }, { expiresInS: 600 });
    const shown = fetch(url);
    const { id, succeed } = await api.claim({ accountId });
    await succeed(Buffer.from('a picture'));
    const response = await shown;
    expect([response.status, await response.text()]).toEqual([200, 'a picture']);
    expect(response.headers.get('x-capture-id')).toBe(id);
    expect((await fetch(url.replace('320', '640'))).status).toBe(403);
  });

  it('keeps its URL with a fixed time, which the service ends it at', async () => {
    const { here } = await newSigners();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const [first, again] = [
      await here.links.sign(PAGE, { expiresAt }),
      await here.links.sign(PAGE, { expiresAt }),
    ];
    expect(again).toEqual(first);
    const { url } = await here.links.sign(PAGE, { expiresAt: new Date(Date.now() - 10_000) });
    expect((await fetch(url)).status).toBe(410);
  });

  it('never expires where the operator allows it', async () => {
    const { here, there } = await newSigners({ linksExpire: false });
    const mine = await here.links.sign(PAGE, { neverExpires: true });
    expect(mine).toEqual(await there.links.sign(PAGE, { neverExpires: true }));
    expect(mine.expires_at).toBeNull();
    const { there: strict } = await newSigners();
    await expect(strict.links.sign(PAGE, { neverExpires: true })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/expires_in_s' }],
    });
  });

  it.each(['headers', 'cookies', 'basic_auth_password', 'js', 'html', 'outputs', 'force', 'expires_in_s'])(
    'has no %s',
    async (name) => {
      const { here, there } = await newSigners();
      for (const client of [here, there]) {
        const signing = client.links.sign({ ...PAGE, [name]: 'x' }, { expiresInS: 600 });
        await expect(signing).rejects.toMatchObject({
          code: 'invalid_options',
          message: expect.stringContaining(name),
        });
      }
    },
  );
});
