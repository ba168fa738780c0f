import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, statusAndCode, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';

const OUTPUTS = [
  { name: 'phone', device: 'iphone-15-pro', format: 'webp' },
  { name: 'tablet', viewport_width: 768, viewport_height: 1024, format: 'jpeg' },
  { name: 'desktop', full_page: true },
  { name: 'sheet', format: 'pdf' },
  { name: 'words', format: 'text' },
] as const;
const NAMES = OUTPUTS.map(({ name }) => name);
const TYPES = ['image/webp', 'image/jpeg', 'image/png', 'application/pdf', 'text/plain; charset=utf-8'];

interface File {
  readonly name: string;
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
}
const filesOf = (record: Json): File[] => record['files'] as File[];
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('several outputs', () => {
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

  const url = (): string => `${site.url}/outputs.html`;
  const used = async (): Promise<number> => Number((await json(client.get('/v1/usage'))).used);
  const finished = async (id: unknown): Promise<Json> => json(client.get(`/v1/jobs/${String(id)}?wait=30`));
  const stored = async (id: unknown): Promise<string[]> =>
    readdir(path.join(apps.env.DATA_DIR ?? '', 'files/captures', String(id))).catch(() => []);

  it('of a synchronous capture are listed in its record, one unit charged, and fetched by name', async () => {
    const before = await used();
    const answer = await client.capture({ url: url(), outputs: OUTPUTS });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    const record = await json(answer);
    expect(await used()).toBe(before + 1);
    expect(record).toMatchObject({ status: 'succeeded', complete: true, format: 'webp', billable: true });
    expect(filesOf(record).map(({ name }) => name)).toEqual(NAMES);
    for (const [i, file] of filesOf(record).entries()) {
      const response = await client.get(file.url);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, TYPES[i]]);
      expect(response.headers.get('content-disposition')).toContain(`127.0.0.1-${file.name}.`);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect([bytes.length, sha256(bytes)]).toEqual([file.bytes, file.sha256]);
    }
    const sizeOf = async (name: string): Promise<(number | undefined)[]> => {
      const response = await client.get(`/v1/captures/${String(record['id'])}/files/${name}`);
      const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
      return [width, height];
    };
    expect(await sizeOf('phone')).toEqual([1_179, 1_977]);
    expect(await sizeOf('tablet')).toEqual([768, 1_024]);
    expect((await sizeOf('desktop'))[0]).toBe(1_280);
    // The flat fields are those of the first file.
    const [first] = filesOf(record);
    expect(record).toMatchObject({ bytes: first?.bytes, sha256: first?.sha256, width: 1_179 });
    const result = await client.get(String(record['result_url']));
    expect(sha256(Buffer.from(await result.arrayBuffer()))).toBe(first?.sha256);
  });

  it('have files with Range, ETag and HEAD; an unknown name is answered with those that there are', async () => {
    const { id } = await client.record({ url: url(), outputs: OUTPUTS.slice(2) });
    const at = (name: string): string => `/v1/captures/${String(id)}/files/${name}`;
    const whole = await client.get(at('words'));
    const text = await whole.text();
    const part = await client.get(at('words'), { range: 'bytes=1-3' });
    expect([part.status, await part.text()]).toEqual([206, text.slice(1, 4)]);
    const etag = whole.headers.get('etag') ?? '';
    expect((await client.get(at('words'), { 'if-none-match': etag })).status).toBe(304);
    expect((await client.get(at('sheet'), { 'if-none-match': etag })).status).toBe(200);
    const head = await client.send('HEAD', at('sheet'));
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'application/pdf',
      '',
    ]);
    const unknown = await client.get(at('tablet'));
    expect(unknown.status).toBe(404);
    expect((await json(unknown)).detail).toContain('desktop, sheet, words');
    expect(await statusAndCode(client.withKey(null).get(at('words')))).toEqual([401, 'unauthorized']);
  });

  it('of a job are the same when it is sent again with its Idempotency-Key, and deleted together', async () => {
    const headers = { 'idempotency-key': 'outputs-once' };
    const [before, body] = [await used(), { url: url(), outputs: OUTPUTS }];
    const { id } = await json(client.submit(body, headers));
    const record = await finished(id);
    expect(filesOf(record)).toHaveLength(5);
    const again = await client.submit(body, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await json(again)).id).toBe(id);
    expect(filesOf(await finished(id))).toEqual(filesOf(record));
    const other = client.submit({ ...body, outputs: OUTPUTS.slice(1) }, headers);
    expect(await statusAndCode(other)).toEqual([422, 'idempotency_mismatch']);
    expect(await used()).toBe(before + 1);
    expect((await stored(id)).sort()).toEqual(['1.webp', '1n2.jpg', '1n3.png', '1n4.pdf', '1n5.txt']);
    expect((await client.send('DELETE', `/v1/captures/${String(id)}`)).status).toBe(200);
    expect(await stored(id)).toEqual([]);
    const gone = client.get(`/v1/captures/${String(id)}/files/words`);
    expect(await statusAndCode(gone)).toEqual([410, 'result_expired']);
  });

  it('of a capture that fails are none, uncharged, and the error names the output', async () => {
    const before = await used();
    const outputs = [...OUTPUTS.slice(3), { name: 'missing', selector: '#missing' }];
    const { id } = await json(client.submit({ url: url(), outputs }));
    const record = await finished(id);
    expect(record).toMatchObject({
      status: 'failed',
      files: [],
      result_url: null,
      error: { code: 'selector_not_found', detail: expect.stringContaining('Output missing: ') },
    });
    expect(await used()).toBe(before);
    expect(await stored(id)).toEqual([]);
  });

  it('are taken by batches in JSON and in CSV cells, and listed in their results', async () => {
    const outputs = OUTPUTS.slice(3);
    const batch = await json(
      client.post('/v1/bulk/json', {
        defaults: { outputs },
        items: [
          { url: url() },
          { url: url(), outputs: [{ name: 'own', format: 'jpeg' }] },
          { url: url(), outputs: null },
        ],
      }),
    );
    const cell = JSON.stringify(outputs).replaceAll('"', '""');
    const csv = await client.send('POST', '/v1/bulk/csv', {
      headers: { 'content-type': 'text/csv' },
      body: `url,outputs\n${url()},"${cell}"\n`,
    });
    const ids = [batch['id'], (await json(csv)).id];
    const namesOf = async (id: unknown): Promise<(string[] | undefined)[]> => {
      const status = async (): Promise<boolean> =>
        (await json(client.get(`/v1/bulk/${String(id)}`))).status === 'completed';
      await eventually('the batch is completed', status, 60_000);
      const { items } = await json(client.get(`/v1/bulk/${String(id)}/results`));
      return (items as Json[]).map((row) => filesOf(row).map(({ name }) => name));
    };
    expect(await namesOf(ids[0])).toEqual([['sheet', 'words'], ['own'], ['result']]);
    expect(await namesOf(ids[1])).toEqual([['sheet', 'words']]);
  });

  it('that are invalid are refused with a pointer to each', async () => {
    const outputs = [{ name: 'a' }, { name: 'a', formt: 'pdf' }];
    const refused = await client.submit({ url: url(), outputs });
    expect(refused.status).toBe(400);
    expect((await json(refused)).errors).toMatchObject([
      { pointer: '/outputs/1/formt', code: 'unknown_field' },
    ]);
    const csv = await client.send('POST', '/v1/bulk/csv', {
      headers: { 'content-type': 'text/csv' },
      body: `url,outputs\n${url()},"[{""name"":""a""},{""name"":""a""}]"\n`,
    });
    expect(csv.status).toBe(400);
    expect((await json(csv)).errors).toMatchObject([{ row: 1, column: 'outputs', code: 'conflict' }]);
  });
});
