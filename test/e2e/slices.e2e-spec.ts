import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, statusAndCode, type Json } from '../support/client.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';

const SLICED = { full_page: true, slice_height: 900, slice_at: 'exact' } as const;

interface File {
  readonly name: string;
  readonly url: string;
  readonly offset_y: number | null;
  readonly height: number;
}
const filesOf = (record: Json): File[] => record['files'] as File[];
const placesOf = (record: Json): unknown[] =>
  filesOf(record).map(({ name, offset_y: top, height }) => [name, top, height]);

const PLACES = [
  ['result-001', 0, 900],
  ['result-002', 900, 900],
  ['result-003', 1_800, 200],
];

describe('slices of a full page', () => {
  let site: FixtureSite;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    site = await startFixtureSite();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}`, WORKER_SLOTS: '2' });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
  });

  const page = (options: Json = {}): Json => ({ url: `${site.url}/bands.html`, ...SLICED, ...options });
  const used = async (): Promise<number> => Number((await json(client.get('/v1/usage'))).used);

  it('are listed in the record with their places, charged as one unit, and fetched by name', async () => {
    const before = await used();
    const record = await json(client.capture(page()));
    expect(record).toMatchObject({ status: 'succeeded', format: 'png', width: 1_280, height: 900 });
    expect(placesOf(record)).toEqual(PLACES);
    expect(await used()).toBe(before + 1);
    for (const { name, url } of filesOf(record)) {
      const file = await client.get(url);
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(file.headers.get('content-disposition')).toContain(`127.0.0.1-${name}.png`);
    }
    const again = await json(client.get(`/v1/captures/${String(record['id'])}`));
    expect(filesOf(again)).toEqual(filesOf(record));
    const result = await client.get(String(record['result_url']));
    expect(result.headers.get('content-disposition')).toContain('127.0.0.1-result-001.png');
  });

  it('are an archive when one is asked for, and answer from the cache', async () => {
    const archive = await client.capture(page({ response: 'zip' }));
    expect(archive.headers.get('content-type')).toBe('application/zip');
    expect(Buffer.from(await archive.arrayBuffer()).toString('latin1')).toContain('result-003.png');
    const cached = page({ cache_ttl_s: 600, max_slices: 2 });
    const first = await json(client.capture(cached));
    const answer = await client.capture(cached);
    expect(answer.headers.get('x-cache')).toBe('HIT');
    expect(placesOf(await json(answer))).toEqual(placesOf(first));
    expect(first).toMatchObject({ truncated: true, files: [{}, {}] });
    const other = await client.capture({ ...cached, max_slices: 3 });
    expect(other.headers.get('x-cache')).toBe('MISS');
  });

  it('of a job are deleted with it, and no file of it stays', async () => {
    const { id } = await client.record(page());
    const at = `/v1/captures/${String(id)}`;
    const stored = (): Promise<string[]> =>
      readdir(path.join(apps.env.DATA_DIR ?? '', 'files/captures', String(id))).catch(() => []);
    expect((await stored()).sort()).toEqual(['1.png', '1n2.png', '1n3.png']);
    expect((await client.send('DELETE', at)).status).toBe(200);
    expect(await stored()).toEqual([]);
    expect(await statusAndCode(client.get(`${at}/files/result-001`))).toEqual([410, 'result_expired']);
  });

  it.each<[string, Json, string]>([
    ['without full_page', { full_page: false }, '/slice_height'],
    ['of an element', { full_page: false, selector: 'body' }, '/slice_height'],
    ['of a PDF', { format: 'pdf', full_page: undefined }, '/slice_height'],
    ['of a text', { format: 'text', full_page: undefined }, '/slice_height'],
    ['that are too low', { slice_height: 199 }, '/slice_height'],
    ['that are too high', { slice_height: 8_001 }, '/slice_height'],
    ['that repeat more than half', { slice_overlap: 451 }, '/slice_overlap'],
    ['that repeat less than nothing', { slice_overlap: -1 }, '/slice_overlap'],
    ['that are too many', { max_slices: 51 }, '/max_slices'],
    ['that are none', { max_slices: 0 }, '/max_slices'],
    ['that end elsewhere', { slice_at: 'word' }, '/slice_at'],
    ['of no height', { slice_height: undefined }, '/slice_at'],
    ['that have the height of a thumbnail', { image_height: 300 }, '/image_height'],
    ['that are compared', { compare_with: 'previous' }, '/slice_height'],
    [
      'with the name of another output',
      { outputs: [{ name: 'a', format: 'png' }, { name: 'a-002' }] },
      '/outputs/1/name',
    ],
  ])('are refused %s', async (_, options, pointer) => {
    const answer = await client.capture(page(options));
    expect(answer.status).toBe(400);
    const { errors } = await json(answer);
    expect((errors as { pointer: string }[]).map((fault) => fault.pointer)).toContain(pointer);
  });

  it('are in no link, because each visitor would store them again', async () => {
    const answer = await client.post('/v1/links', page());
    expect(answer.status).toBe(400);
    expect(await json(answer)).toMatchObject({ code: 'invalid_request' });
  });
});
