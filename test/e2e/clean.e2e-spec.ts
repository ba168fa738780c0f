import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { Client, json, type Json } from '../support/client.js';
import { startNoisyShop, type NoisyShop } from '../support/noisy-shop.js';

const NOTHING = { ads: 0, trackers: 0, chats: 0, annoyances: 0, rules: 0, forbidden: 0 };
/** Each widget of the shop is one script; the ads and the report of the tracker come from scripts that are not loaded. */
const ALL = { ...NOTHING, ads: 1, trackers: 1, chats: 1, annoyances: 1 };
const REJECTED = { manager: expect.stringMatching(/cookie-?consent/i), action: 'rejected', gone: true };

/** Points at the sides of a window of 960 × 640 px: beside the ad at the top, the dialog, and the chat. */
const SIDES = [
  [8, 100],
  [8, 600],
  [952, 600],
] as const;
const BACKGROUND = 'f7f8f4';

describe('a shop full of noise', () => {
  let shop: NoisyShop;
  let client: Client;

  beforeAll(async () => {
    shop = await startNoisyShop();
    client = new Client(shop.apps);
  }, 120_000);

  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
  });

  const window = { viewport_width: 960, viewport_height: 640, wait_until: 'networkidle' };
  const capture = (options: Json): Promise<Json> => client.record({ url: shop.url, ...window, ...options });
  const sidesOf = async ({ id }: Json): Promise<string[]> => {
    const file = await client.get(`/v1/captures/${String(id)}/result`);
    const picture = sharp(await file.arrayBuffer());
    return Promise.all(
      SIDES.map(async ([left, top]) => {
        const pixel = picture.clone().removeAlpha().extract({ left, top, width: 1, height: 1 });
        return (await pixel.raw().toBuffer()).toString('hex');
      }),
    );
  };
  /** The hosts besides the shop's own that were reached during the work. */
  const reached = async <T>(work: () => Promise<T>): Promise<[T, string[]]> => {
    const before = shop.site.requests().length;
    const result = await work();
    const hosts = shop.site
      .requests()
      .slice(before)
      .map(({ headers }) => headers.host?.split(':')[0] ?? '');
    return [result, [...new Set(hosts)].filter((host) => host !== 'fernwood.example').sort()];
  };

  it('is captured as a visitor sees it', async () => {
    const [record, hosts] = await reached(() => capture({}));
    expect(record).toMatchObject({ status: 'succeeded', blocked: NOTHING, consent: null, overlays: null });
    expect(await sidesOf(record)).not.toContain(BACKGROUND);
    expect(hosts).toEqual(['embed.tawk.to', 'ib.adnxs.com', 'static.chartbeat.com', 'widget.privy.com']);
  });

  it('is captured without the noise by clean, which reaches no host of it', async () => {
    const [record, hosts] = await reached(() => capture({ clean: true }));
    expect(record).toMatchObject({
      status: 'succeeded',
      blocked: ALL,
      blocked_requests: 4,
      consent: REJECTED,
      overlays: [],
    });
    expect(hosts).toEqual([]);
    // The box of the ad is gone with it, and the page is neither covered nor dimmed.
    expect(await sidesOf(record)).toEqual([BACKGROUND, BACKGROUND, BACKGROUND]);
  });

  it('says what clean has closed that had come over the page', async () => {
    const html = `<main>${'<p>A wall, a tide and the boats between them. '.repeat(40)}</main>
      <dialog><h2>Join our newsletter</h2><form method="dialog"><button>No, thanks</button></form></dialog>
      <script>document.querySelector('dialog').showModal()</script>`;
    const record = await client.record({ html, ...window, clean: true });
    const [overlay, ...others] = record.overlays as Json[];
    expect(others).toEqual([]);
    expect(Object.keys(overlay ?? {})).toEqual(['action', 'kind', 'label', 'box']);
    expect(overlay).toMatchObject({ action: 'closed', kind: 'dialog', label: 'Join our newsletter' });
  });

  it('keeps the kinds that are turned off by themselves', async () => {
    const [record, hosts] = await reached(() =>
      capture({ clean: true, block_ads: false, block_cookie_banners: false }),
    );
    expect(record).toMatchObject({ blocked: { ...ALL, ads: 0 }, consent: null });
    expect(hosts).toEqual(['ib.adnxs.com']);
  });

  it('is clean as a row of a CSV whose column says so', async () => {
    const body = ['url,clean,cookie_consent', `${shop.url},TRUE,hide`, `${shop.url},false,`].join('\n');
    const query = '?wait_until=networkidle';
    const headers = { 'content-type': 'text/csv' };
    const batch = await json(client.send('POST', `/v1/bulk/csv${query}`, { headers, body }));
    await client.get(`/v1/bulk/${String(batch.id)}?wait=30`);
    const { items } = await json(client.get(`/v1/bulk/${String(batch.id)}/results`));
    expect(items).toMatchObject([
      { status: 'succeeded', blocked: ALL, consent: { action: 'hidden', gone: true } },
      { status: 'succeeded', blocked: NOTHING, consent: null },
    ]);
  });
});
