import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { CaptureClient } from '@app/client';
import type { Format } from '@app/capture';
import { AppError, newId } from '@app/kernel';
import { startApi, type MadeFile, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';

const PAGE = { url: 'https://example.com/' };
const [RED, BLUE] = ['#d02020', '#2020d0'];

/** Red down to `red` px, and blue below. */
function picture(width: number, height: number, red = height): Sharp {
  const size = { width, height, channels: 3 as const };
  const top = { create: { width, height: Math.min(red, height), channels: 3 as const, background: RED } };
  return sharp({ create: { ...size, background: BLUE } }).composite([{ input: top, left: 0, top: 0 }]);
}

const file = (format: Format, bytes: Buffer, name = 'result'): MadeFile => ({ name, format, bytes });

describe('GET /v1/captures/{id}/thumbnail', () => {
  let api: TestApi;
  let caller: Awaited<ReturnType<TestApi['client']>>;

  beforeAll(async () => {
    api = await startApi();
    caller = await api.client();
  });

  afterAll(() => api.close());

  async function captured(files: readonly MadeFile[], options: object = {}): Promise<string> {
    const { id } = await json(caller.submit({ ...PAGE, ...options }));
    await (await api.claim(caller)).succeed(files);
    return String(id);
  }
  const thumbnail = (id: string, headers: Record<string, string> = {}) =>
    caller.get(`/v1/captures/${id}/thumbnail`, headers);
  const sizeOf = async (response: Response) => {
    const { format, width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    return { format, width, height };
  };

  it.each(['png', 'jpeg', 'webp', 'avif'] as const)('shows the top of a tall %s', async (format) => {
    const bytes = await picture(1_280, 4_000, 800).toFormat(format).toBuffer();
    const response = await thumbnail(await captured([file(format, bytes)], { format }));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const made = Buffer.from(await response.arrayBuffer());
    expect(await sharp(made).metadata()).toMatchObject({ format: 'webp', width: 480, height: 300 });
    expect(made.byteLength).toBeLessThan(2_000);
    const { dominant } = await sharp(made).extract({ left: 0, top: 290, width: 480, height: 10 }).stats();
    expect(dominant.r).toBeGreaterThan(dominant.b);
  });

  it.each([
    ['is never larger than the picture', [30, 10], [30, 10]],
    ['of a wide picture is flat', [4_800, 100], [480, 10]],
    ['of the narrowest picture has a pixel', [1, 5_000], [1, 1]],
  ] as const)('%s', async (_, [width, height], [w, h]) => {
    const id = await captured([file('png', await picture(width, height).png().toBuffer())]);
    expect(await sizeOf(await thumbnail(id))).toEqual({ format: 'webp', width: w, height: h });
  });

  it('is that of the first picture, which may follow other files', async () => {
    const bytes = await picture(100, 50).png().toBuffer();
    const files = [file('text', Buffer.from('text'), 'words'), file('png', bytes, 'page')];
    const outputs = [
      { name: 'words', format: 'text' },
      { name: 'page', format: 'png' },
    ];
    expect(await sizeOf(await thumbnail(await captured(files, { outputs })))).toMatchObject({ width: 100 });
  });

  it('may be kept by the browser of the caller, and has an ETag', async () => {
    const id = await captured([file('png', await picture(20, 20).png().toBuffer())]);
    const { headers } = await thumbnail(id);
    expect(headers.get('cache-control')).toBe('private, max-age=3600, immutable');
    expect(headers.get('vary')).toContain('Authorization');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('x-capture-id')).toBe(id);
    const again = await thumbnail(id, { 'if-none-match': headers.get('etag') ?? '' });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await caller.send('HEAD', `/v1/captures/${id}/thumbnail`);
    expect(head.headers.get('content-length')).toBe(headers.get('content-length'));
  });

  it('is made once for those who ask together, and kept', async () => {
    const id = await captured([file('png', await picture(2_000, 2_000).png().toBuffer())]);
    const all = await Promise.all(Array.from({ length: 30 }, () => thumbnail(id)));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    // The thumbnail is in memory: it does not need the file any more.
    await api.storage.delete(`captures/${id}/1.png`);
    expect((await thumbnail(id)).status).toBe(200);
  });

  it('is gone at once when the capture is deleted', async () => {
    const id = await captured([file('png', await picture(20, 20).png().toBuffer())]);
    const etag = (await thumbnail(id)).headers.get('etag') ?? '';
    await caller.send('DELETE', `/v1/captures/${id}`);
    for (const headers of [undefined, { 'if-none-match': etag }]) {
      expect(await statusAndCode(thumbnail(id, headers))).toEqual([410, 'result_expired']);
    }
    await caller.send('DELETE', `/v1/captures/${id}?record=true`);
    expect(await statusAndCode(thumbnail(id))).toEqual([404, 'not_found']);
  });

  it('is gone when the file has expired or is lost', async () => {
    const bytes = await picture(20, 20).png().toBuffer();
    const [expired, lost] = [await captured([file('png', bytes)]), await captured([file('png', bytes)])];
    expect((await thumbnail(expired)).status).toBe(200);
    await api.database.query(`UPDATE jobs SET expires_at = now() - interval '1 s' WHERE id = '${expired}'`);
    await api.storage.delete(`captures/${lost}/1.png`);
    for (const id of [expired, lost]) {
      expect(await statusAndCode(thumbnail(id))).toEqual([410, 'result_expired']);
    }
  });

  it('does not exist for what is no picture, and says why', async () => {
    const broken = await captured([file('png', Buffer.from('not a picture'))]);
    const disguised = await captured([file('png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))]);
    const text = await captured([file('text', Buffer.from('text'))], { format: 'text' });
    const { id: failed } = await json(caller.submit(PAGE));
    await (await api.claim(caller)).fail(new AppError('target_dns_error'));
    const { id: canceled } = await json(caller.submit(PAGE));
    await caller.send('DELETE', `/v1/jobs/${String(canceled)}`);
    const reasons: [unknown, string][] = [
      [broken, 'cannot be read as a picture'],
      [disguised, 'cannot be read as a picture'],
      [text, 'None of the files'],
      [failed, 'failed'],
      [canceled, 'canceled'],
    ];
    for (const [id, reason] of reasons) {
      expect(await json(thumbnail(String(id)))).toMatchObject({
        status: 404,
        code: 'no_picture',
        detail: expect.stringContaining(reason),
      });
    }
  });

  it('does not exist for a picture that would take too much memory', async () => {
    const pixel = { create: { width: 8_000, height: 6_500, channels: 3 as const, background: RED } };
    const bytes = await sharp(pixel).webp({ effort: 0 }).toBuffer();
    const detail = await json(thumbnail(await captured([file('webp', bytes)], { format: 'webp' })));
    expect(detail).toMatchObject({ code: 'no_picture', detail: expect.stringContaining('too large') });
  });

  it('is refused before the end of the capture, and to others', async () => {
    const { id } = await json(caller.submit(PAGE));
    expect(await statusAndCode(thumbnail(String(id)))).toEqual([409, 'job_not_finished']);
    await (await api.claim(caller)).succeed(await picture(20, 20).png().toBuffer());
    expect((await thumbnail(String(id))).status).toBe(200);
    const stranger = await api.client();
    const path = `/v1/captures/${String(id)}/thumbnail`;
    expect(await statusAndCode(stranger.get(path))).toEqual([404, 'not_found']);
    expect(await statusAndCode(caller.get(`/v1/captures/${newId()}/thumbnail`))).toEqual([404, 'not_found']);
  });

  it('is a file of the client, and begins for others while callers leave', async () => {
    const bytes = await picture(3_000, 3_000).png().toBuffer();
    const ids: string[] = [];
    while (ids.length < 8) ids.push(await captured([file('png', bytes)]));
    const client = new CaptureClient({ baseUrl: api.url, key: caller.apiKey });
    const leaving = new AbortController();
    const left = ids.slice(1).map((id) => client.captures.thumbnail(id, { signal: leaving.signal }));
    leaving.abort();
    await Promise.allSettled(left);
    await eventually('the thumbnail arrives', async () => {
      const made = await client.captures.thumbnail(ids[0] ?? '');
      return made.contentType === 'image/webp' && made.captureId === ids[0];
    });
  });
});
