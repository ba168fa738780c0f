import { once } from 'node:events';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AppError, newId } from '@app/kernel';
import { startApi, type MadeFile, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client, type Json } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { readZip } from '../../../../test/support/zip-reader.js';

const PAGE = { url: 'https://example.com/page' };
const OUTPUTS = [
  { name: 'desktop', format: 'png' },
  { name: 'phone', format: 'jpeg' },
  { name: 'con', format: 'text' },
];
const FILES: MadeFile[] = [
  { name: 'desktop', format: 'png', bytes: Buffer.alloc(100_000, 'png') },
  { name: 'phone', format: 'jpeg', bytes: Buffer.alloc(50_000, 'jpg') },
  { name: 'con', format: 'text', bytes: Buffer.alloc(30_000, 'Text. ') },
];

let api: TestApi;
let client: Client & { readonly accountId: string };

beforeAll(async () => {
  api = await startApi();
  client = await api.client();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => api.close());

/** A capture that has made these files; returns its id. */
async function captured(files: readonly MadeFile[] = FILES, options: Json = { outputs: OUTPUTS }) {
  const { id } = await json(client.submit({ ...PAGE, ...options }));
  await (await api.claim(client)).succeed(files);
  return String(id);
}

const pathOf = (id: string) => `/v1/captures/${id}/files.zip`;

async function zipOf(answer: Response | Promise<Response>) {
  const response = await answer;
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
  return readZip(Buffer.from(await response.arrayBuffer()));
}

describe('GET /v1/captures/{id}/files.zip', () => {
  it('holds every file and the record, pictures stored and texts compressed', async () => {
    const id = await captured();
    const record = await json(client.get(`/v1/captures/${id}`));
    const files = await zipOf(client.get(pathOf(id)));
    expect(files.map(({ path, compressed }) => [path, compressed])).toEqual([
      ['desktop.png', false],
      ['phone.jpg', false],
      ['_con.txt', true],
      ['record.json', false],
    ]);
    expect(files.slice(0, 3).map(({ bytes }) => bytes)).toEqual(FILES.map(({ bytes }) => bytes));
    expect(JSON.parse(String(files.at(-1)?.bytes))).toEqual(record);
    const finishedAt = new Date(Math.floor(Date.parse(String(record.finished_at)) / 1_000) * 1_000);
    expect(files.map(({ modifiedAt }) => modifiedAt)).toEqual(files.map(() => finishedAt));
  });

  it('is the same for the same capture, and not sent to a caller who has it', async () => {
    const id = await captured();
    const [first, second] = [await client.get(pathOf(id)), await client.get(pathOf(id))];
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect(second.headers.get('etag')).toBe(etag);
    const [a, b] = await Promise.all([first.arrayBuffer(), second.arrayBuffer()]);
    expect(Buffer.from(a).equals(Buffer.from(b))).toBe(true);
    const again = await client.get(pathOf(id), { 'if-none-match': etag });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    const other = await client.get(pathOf(await captured()), { 'if-none-match': etag });
    expect(other.headers.get('etag')).not.toBe(etag);
    await other.body?.cancel();
  });

  it('has a length in advance if nothing in it is compressed', async () => {
    const pictures = await captured(FILES.slice(0, 2), { outputs: OUTPUTS.slice(0, 2) });
    for (const id of [pictures, await captured([{ name: 'result', format: 'pdf', bytes: PDF }], PDF_PAGE)]) {
      const response = await client.get(pathOf(id));
      const body = await response.arrayBuffer();
      expect(response.headers.get('content-length')).toBe(String(body.byteLength));
      expect(readZip(Buffer.from(body)).at(-1)?.path).toBe('record.json');
    }
    const withText = await client.get(pathOf(await captured()));
    expect(withText.headers.get('content-length')).toBeNull();
    await withText.arrayBuffer();
  });

  it('compresses a long record', async () => {
    const id = await captured([{ name: 'result', format: 'png', bytes: PDF }], {});
    await api.database.query(`UPDATE jobs SET page = $2 WHERE id = $1`, [
      id,
      JSON.stringify({ title: 'x'.repeat(50_000), truncated: [] }),
    ]);
    expect(await zipOf(client.get(pathOf(id)))).toMatchObject([
      { path: 'result.png', compressed: false },
      { path: 'record.json', compressed: true },
    ]);
  });

  it('has the headers of a file, except for ranges, and HEAD describes it without reading a file', async () => {
    const id = await captured(FILES.slice(0, 2), { outputs: OUTPUTS.slice(0, 2), filename: 'Überblick.png' });
    const got = await client.get(pathOf(id), { range: 'bytes=0-3' });
    await got.arrayBuffer();
    expect(got.status).toBe(200);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'accept-ranges': 'none',
      'content-disposition': `attachment; filename="?berblick.zip"; filename*=UTF-8''%C3%9Cberblick.zip`,
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'x-capture-id': id,
      'x-capture-billable': 'true',
      'x-capture-http-status': '200',
      'server-timing': expect.stringMatching(/^queue;dur=3, /),
    });
    const read = jest.spyOn(api.storage, 'read');
    const head = await client.send('HEAD', pathOf(id));
    expect([head.status, await head.text()]).toEqual([200, '']);
    const described = ['etag', 'content-length', 'content-disposition', 'content-type', 'accept-ranges'];
    for (const name of described) expect(head.headers.get(name)).toBe(got.headers.get(name));
    expect(read.mock.calls.map(([, range]) => range)).toEqual([
      { start: 0, end: 0 },
      { start: 0, end: 0 },
    ]);
  });

  it('is an error that says why there are no files', async () => {
    const { id: queued } = await json(client.submit(PAGE));
    expect(await statusAndCode(client.get(pathOf(String(queued))))).toEqual([409, 'job_not_finished']);
    await (await api.claim(client)).fail(new AppError('target_dns_error'));
    expect(await statusAndCode(client.get(pathOf(String(queued))))).toEqual([422, 'target_dns_error']);
    const id = await captured();
    const stranger = await api.client();
    for (const answer of [
      stranger.get(pathOf(id)),
      client.get(pathOf(newId())),
      client.get('/v1/captures/x/files.zip'),
    ]) {
      expect(await statusAndCode(answer)).toEqual([404, 'not_found']);
    }
    expect(await statusAndCode(client.withKey('cap_wrong').get(pathOf(id)))).toEqual([401, 'unauthorized']);
    expect(await statusAndCode(client.get(`${pathOf(id)}?x=1`))).toEqual([400, 'invalid_request']);
    await client.send('DELETE', `/v1/captures/${id}`);
    expect(await statusAndCode(client.get(pathOf(id)))).toEqual([410, 'result_expired']);
  });

  it.each([0, 2])('is result_expired before it begins when the store has lost file %i', async (i) => {
    const id = await captured();
    await api.storage.delete(`captures/${id}/1${['.png', 'n2.jpg', 'n3.txt'][i] ?? ''}`);
    const response = await client.get(pathOf(id));
    expect(response.headers.get('content-disposition')).toBeNull();
    expect(await statusAndCode(response)).toEqual([410, 'result_expired']);
    expect((await client.send('HEAD', pathOf(id))).status).toBe(410);
  });

  it.each([
    ['is shorter than its record says', (bytes: Buffer) => bytes.subarray(0, 10_000)],
    ['is longer than its record says', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
    ['is empty', () => Buffer.alloc(0)],
  ])('is cut off when a file %s', async (_, change) => {
    const id = await captured();
    await api.storage.put(`captures/${id}/1n2.jpg`, change(FILES[1]?.bytes ?? Buffer.alloc(0)));
    const read = jest.spyOn(api.storage, 'read');
    read.mockImplementationOnce(unprobed).mockImplementationOnce(unprobed).mockImplementationOnce(unprobed);
    await expect(client.get(pathOf(id)).then((response) => response.arrayBuffer())).rejects.toThrow();
  });

  it('is cut off when the store fails midway, so that it has no end', async () => {
    const id = await captured();
    const read = api.storage.read.bind(api.storage);
    jest.spyOn(api.storage, 'read').mockImplementation((key, range) => {
      if (range || !key.endsWith('n3.txt')) return read(key, range);
      return Promise.resolve(Readable.from(failing(FILES[2]?.bytes ?? Buffer.alloc(0))));
    });
    const response = await client.get(pathOf(id));
    expect(response.status).toBe(200);
    const received: Buffer[] = [];
    await expect(
      (async () => {
        for await (const chunk of response.body ?? []) received.push(Buffer.from(chunk as Uint8Array));
      })(),
    ).rejects.toThrow();
    expect(Buffer.concat(received).includes(FILES[0]?.bytes ?? '')).toBe(true);
    expect(() => readZip(Buffer.concat(received))).toThrow('The archive has no end');
  });

  it('reads no further when the caller disconnects, and closes the file', async () => {
    const id = await captured();
    let produced = 0;
    const opened: Readable[] = [];
    const read = api.storage.read.bind(api.storage);
    jest.spyOn(api.storage, 'read').mockImplementation((key, range) => {
      if (range) return read(key, range);
      const endless = Readable.from(
        (function* () {
          for (;;) {
            produced += CHUNK.length;
            yield CHUNK;
          }
        })(),
      );
      opened.push(endless);
      return Promise.resolve(endless);
    });
    await api.database.query(
      `UPDATE capture_files SET bytes = 2000000000 WHERE capture_id = $1 AND position = 1`,
      [id],
    );
    const asked = once(api.app.getHttpServer(), 'request');
    const response = await client.get(pathOf(id));
    await asked;
    const stalled = await until(() => produced);
    expect(stalled).toBeLessThan(100_000_000);
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([false]);
    await response.body?.cancel();
    await eventually('the file is closed', () => opened.every(({ destroyed }) => destroyed));
    const last = produced;
    expect(await until(() => produced)).toBe(last);
    expect(opened).toHaveLength(1);
  });
});

describe('POST /v1/capture', () => {
  const capture = async (options: Json, headers: Record<string, string>, files: readonly MadeFile[]) => {
    const answer = client.capture({ ...PAGE, ...options }, { headers });
    await (await api.claim(client)).succeed(files);
    return answer;
  };
  const one = FILES.slice(0, 1);
  const several = { outputs: OUTPUTS };

  it.each<[Json, string, string]>([
    [{}, '*/*', 'image/png'],
    [{}, 'application/zip', 'application/zip'],
    [{}, 'application/zip, */*;q=0.1', 'application/zip'],
    [{}, 'image/png, application/zip;q=0.9', 'image/png'],
    [{}, 'application/json, application/zip;q=0.9', 'application/json; charset=utf-8'],
    [{}, 'application/json;q=0.5, application/zip', 'application/zip'],
    [{ response: 'zip' }, '*/*', 'application/zip'],
    [{ response: 'zip' }, 'application/json', 'application/zip'],
    [{ response: 'json' }, 'application/zip', 'application/json; charset=utf-8'],
    [several, '*/*', 'application/json; charset=utf-8'],
    [several, 'image/png', 'application/json; charset=utf-8'],
    [several, 'application/zip', 'application/zip'],
    [several, 'application/zip, */*', 'application/zip'],
    [
      { ...several, response: 'file' },
      'application/json, application/zip',
      'application/json; charset=utf-8',
    ],
    [{ ...several, response: 'zip' }, '*/*', 'application/zip'],
  ])('%j with Accept: %s responds with %s', async (options, accept, type) => {
    const response = await capture(options, { accept }, 'outputs' in options ? FILES : one);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    const body = Buffer.from(await response.arrayBuffer());
    if (type === 'application/zip') expect(readZip(body).at(-1)?.path).toBe('record.json');
  });

  it('responds with the same archive as the route, again for its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': newId() };
    const response = await capture({ response: 'zip' }, headers, one);
    const id = response.headers.get('x-capture-id') ?? '';
    const bytes = Buffer.from(await response.arrayBuffer());
    const replay = await client.capture({ ...PAGE, response: 'zip' }, { headers });
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    for (const answer of [replay, await client.get(pathOf(id))]) {
      expect(answer.headers.get('etag')).toBe(response.headers.get('etag'));
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    }
    expect(await statusAndCode(client.capture(PAGE, { headers }))).toEqual([422, 'idempotency_mismatch']);
  });

  it('responds with the error of a failed capture, and with the job after the wait of Prefer', async () => {
    const answer = client.capture({ ...PAGE, response: 'zip' });
    await (await api.claim(client)).fail(new AppError('capture_timeout'));
    expect(await statusAndCode(answer)).toEqual([504, 'capture_timeout']);
    const waited = await client.capture({ ...PAGE, response: 'zip' }, { headers: { prefer: 'wait=1' } });
    expect([waited.status, (await json(waited)).status]).toEqual([202, 'queued']);
  });

  it('is the only route that takes response: zip', async () => {
    const job = await client.submit({ ...PAGE, response: 'zip' });
    expect([job.status, await json(job)]).toMatchObject([400, { errors: [{ pointer: '/response' }] }]);
  });
});

const PDF = Buffer.alloc(20_000, '%PDF-1.7 ');
const PDF_PAGE = { format: 'pdf' };
const CHUNK = Buffer.alloc(64 * 1024);

/** Stands in for a probe of a file that is there. */
function unprobed(): Promise<Readable> {
  return Promise.resolve(Readable.from([Buffer.alloc(1)]));
}

async function* failing(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes.subarray(0, 10_000);
  await Promise.resolve();
  throw new AppError('storage_unavailable');
}

/** The number once it does not grow any more. */
async function until(read: () => number): Promise<number> {
  let last = -1;
  let since = 0;
  await eventually('it does not grow', () => {
    const now = read();
    since = now === last ? since + 1 : 0;
    last = now;
    return since === 10;
  });
  return last;
}
