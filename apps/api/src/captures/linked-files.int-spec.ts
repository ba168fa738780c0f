import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { Env } from '@app/config';
import { FileLinksService, type LinkedFile } from '@app/jobs';
import { ManualClock, SecretBox } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode } from '../../../../test/support/client.js';

const DAY_S = 86_400;
const BASE = 'https://capture.example.com';

describe('GET /v1/files', () => {
  let api: TestApi;
  let caller: Awaited<ReturnType<TestApi['client']>>;
  let captureId: string;
  let picture: Buffer;

  beforeAll(async () => {
    api = await startApi({ PUBLIC_URL: `${BASE}/` });
    caller = await api.client();
    const size = { width: 960, height: 4_000, channels: 3 as const };
    const changed = { create: { width: 960, height: 100, channels: 3 as const, background: '#d02020' } };
    picture = await sharp({ create: { ...size, background: '#2020d0' } })
      .composite([{ input: changed, left: 0, top: 3_000 }])
      .png()
      .toBuffer();
    const { id } = await json(caller.submit({ url: 'https://example.com/' }));
    captureId = String(id);
    await (await api.claim(caller)).succeed([{ name: 'result', format: 'png', bytes: picture }]);
  });

  afterAll(() => api.close());

  const linkTo = (file: Partial<LinkedFile> = {}): string => {
    const link = api.app.get(FileLinksService, { strict: false }).linkTo({ captureId, name: null, ...file });
    if (link === null) throw new Error('There is no link.');
    return link;
  };
  const open = (link: string): Promise<Response> => fetch(`${api.url}${link.slice(BASE.length)}`);

  it('sends the file to anyone who has its link, and to pages of all sites', async () => {
    expect(linkTo()).toMatch(
      /^https:\/\/capture\.example\.com\/v1\/files\/[0-9a-f-]{36}\?expires=\d+&signature=v1\.[\w-]{43}$/,
    );
    const response = await open(linkTo({ name: 'result' }));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(picture);
  });

  it('shows a small JPEG of the part that changed', async () => {
    const response = await open(linkTo({ smallAt: 3_050 }));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const small = Buffer.from(await response.arrayBuffer());
    expect(await sharp(small).metadata()).toMatchObject({ format: 'jpeg', width: 480, height: 300 });
    // sharp counts the whole of its input, whatever is extracted of it.
    const middle = await sharp(small).extract({ left: 0, top: 140, width: 480, height: 20 }).png().toBuffer();
    const { dominant } = await sharp(middle).stats();
    expect(dominant.r).toBeGreaterThan(dominant.b);
    const end = await open(linkTo({ smallAt: 9_999_999 }));
    expect(await sharp(Buffer.from(await end.arrayBuffer())).metadata()).toMatchObject({ height: 300 });
  });

  it.each<[string, (link: string) => string]>([
    ['another part', (link) => link.replace('small=7', 'small=8')],
    ['a later end', (link) => link.replace(/expires=\d/, 'expires=9')],
    ['another file', (link) => link.replace(captureId, `${captureId}/diff`)],
    ['no signature', (link) => link.replace(/&signature=.*/, '')],
    ['a signature of another spelling', (link) => `${link}=`],
    ['an option', (link) => `${link}&small=9`],
  ])('refuses a link that was changed: %s', async (_, change) => {
    expect(await statusAndCode(open(change(linkTo({ smallAt: 7 }))))).toEqual([403, 'signature_invalid']);
  });

  it('refuses a link that has expired', async () => {
    const clock = new ManualClock(new Date(Date.now() - 31 * DAY_S * 1_000));
    const links = new FileLinksService(
      api.app.get(Env, { strict: false }),
      api.app.get(SecretBox, { strict: false }),
      clock,
    );
    const link = links.linkTo({ captureId, name: null }) ?? '';
    expect(await statusAndCode(open(link))).toEqual([410, 'link_expired']);
  });

  it('says why there is no file', async () => {
    expect(await statusAndCode(open(linkTo({ name: 'diff' })))).toEqual([404, 'not_found']);
    const { id } = await json(caller.submit({ url: 'https://example.com/2' }));
    await (await api.claim(caller)).succeed([{ name: 'result', format: 'png', bytes: picture }]);
    const link = linkTo({ captureId: String(id) });
    await caller.send('DELETE', `/v1/captures/${String(id)}`);
    const [status] = await statusAndCode(open(link));
    expect([404, 410]).toContain(status);
  });
});
