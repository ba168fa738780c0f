import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { BatchRowExportRepository } from '@app/jobs';
import { AppError, newId } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, statusAndCode, type Client } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { readZip, type ZippedFile } from '../../../../test/support/zip-reader.js';

type Account = Client & { readonly accountId: string };
type Cells = Record<string, unknown>;

let api: TestApi;
let client: Account;

beforeAll(async () => {
  api = await startApi();
  client = await api.client();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => api.close());

const ROW = {
  source: 'batch',
  status: 'queued',
  url: 'https://example.com/',
  host: 'example.com',
  format: 'png',
  options: '{}',
  timeout_ms: 60_000,
  usage_period: 'ever',
};

const FINISHED_AT = new Date('2026-11-21T10:00:02Z');

/** The columns of a succeeded row, whose files are in the store. */
async function succeeded(files: Readonly<Record<string, Buffer>>): Promise<Cells> {
  const id = newId();
  const stored = await Promise.all(
    Object.entries(files).map(async ([file, bytes], i) => {
      const [name = '', extension = ''] = file.split('.');
      const key = `captures/${id}/1${i > 0 ? `n${i + 1}` : ''}.${extension}`;
      await api.storage.put(key, bytes);
      const format = extension === 'txt' ? 'text' : extension;
      const about = { key, contentType: 'x/y', bytes: bytes.length, sha256: 'ab', width: null, height: null };
      return {
        name,
        format,
        ...about,
        offsetY: null,
        pages: null,
        pageHeight: null,
        truncated: false,
        content: null,
      };
    }),
  );
  const [first, ...others] = stored;
  return {
    id,
    status: 'succeeded',
    attempt: 1,
    format: first?.format,
    result_key: first?.key,
    content_type: first?.contentType,
    bytes: first?.bytes,
    sha256: 'ab',
    options: JSON.stringify({ outputs: stored.map(({ name, format }) => ({ name, format })) }),
    other_files: others.length > 0 ? JSON.stringify(others) : null,
    finished_at: FINISHED_AT,
    expires_at: new Date(Date.now() + 3_600_000),
  };
}

/** Inserts a batch with rows of these columns, and returns the path of its archive. */
async function insertBatch(rows: readonly Cells[]): Promise<string> {
  const id = newId();
  await api.database.query(
    `INSERT INTO batches (id, account_id, status, total) VALUES ($1, $2, 'running', $3)`,
    [id, client.accountId, rows.length],
  );
  for (const [i, row] of rows.entries()) {
    const own = { account_id: client.accountId, batch_id: id, batch_row: i + 1 };
    const cells = { ...ROW, id: newId(), ...own, ...row };
    const names = Object.keys(cells);
    await api.database.query(
      `INSERT INTO jobs (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      Object.values(cells),
    );
  }
  await addFiles(id);
  return `/v1/bulk/${id}/files.zip`;
}

/** Adds the files that the rows of a batch name. */
async function addFiles(batchId: string): Promise<void> {
  await api.database.query(
    `INSERT INTO capture_files SELECT file.* FROM jobs, files_of_job(jobs) AS file
      WHERE batch_id = $1 AND result_key IS NOT NULL`,
    [batchId],
  );
}

const MANY = 10_000;
const MANY_BYTES = 32 * 1024;

/** Still far more than the kernel buffers for a caller. */
const FEWER = 2_000;

/** A file takes a millisecond of a busy machine, or several. */
const WITHIN_MS = 240_000;

/** Inserts a batch of many rows with a picture each, which only `storesMany` serves. */
async function insertMany(rows: number): Promise<string> {
  const path = await insertBatch([]);
  const batchId = path.split('/')[3] ?? '';
  await api.database.query(
    `INSERT INTO jobs (id, account_id, source, status, batch_id, batch_row, url, host, reference, format, options,
                       timeout_ms, usage_period, attempt, content_type, bytes, sha256, finished_at, expires_at)
     SELECT gen_random_uuid(), $1, 'batch', 'succeeded', $2, n, 'https://example.com/' || n, 'example.com', 'r' || n,
            'png', '{}', 60000, 'ever', 1, 'image/png', $4, 'ab', now(), now() + interval '1 hour'
       FROM generate_series(1, $3) AS n`,
    [client.accountId, batchId, rows, MANY_BYTES],
  );
  await api.database.query(`UPDATE jobs SET result_key = 'captures/' || id || '/1.png' WHERE batch_id = $1`, [
    batchId,
  ]);
  await addFiles(batchId);
  return path;
}

/** Serves a file for every key, and counts. */
function storesMany() {
  const half = Buffer.alloc(MANY_BYTES / 2, 'a picture ');
  const opened = new Set<Readable>();
  const seen = { read: 0, mostOpen: 0, opened };
  jest.spyOn(api.storage, 'read').mockImplementation(() => {
    const file = Readable.from([half, half], { objectMode: false });
    opened.add(file.once('close', () => opened.delete(file)));
    seen.read++;
    seen.mostOpen = Math.max(seen.mostOpen, opened.size);
    return Promise.resolve(file);
  });
  return seen;
}

async function zipOf(path: string): Promise<ZippedFile[]> {
  const response = await client.get(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
  return readZip(Buffer.from(await response.arrayBuffer()));
}

const resultsOf = (files: readonly ZippedFile[]) =>
  parse<Record<string, string>>(files.at(-1)?.bytes ?? '', { columns: true });

describe('GET /v1/bulk/{id}/files.zip', () => {
  it('holds the files of the rows that have succeeded, and the results of all, while the batch runs', async () => {
    const path = await insertBatch([
      { ...(await succeeded({ 'result.png': PNG })), reference: '../a/b: "c"' },
      { status: 'running', attempt: 1 },
      await succeeded({ 'phone.jpeg': PNG, 'con.txt': TEXT }),
      { status: 'failed', error_code: 'target_dns_error', error: { code: 'target_dns_error' } },
      { ...(await succeeded({ 'only.txt': TEXT })), host: null, url: null },
    ]);
    const files = await zipOf(path);
    expect(files.map(({ path: name, compressed }) => [name, compressed])).toEqual([
      ['00001-a-b- -c.png', false],
      ['00003-example.com/phone.jpg', false],
      ['00003-example.com/_con.txt', true],
      ['00005-capture.txt', true],
      ['results.csv', true],
    ]);
    expect(files.slice(0, 4).map(({ bytes }) => bytes)).toEqual([PNG, PNG, TEXT, TEXT]);
    expect(files.slice(0, 4).map(({ modifiedAt }) => modifiedAt)).toEqual(Array(4).fill(FINISHED_AT));
    const download = await client.get(path.replace('files.zip', 'download'));
    const expected = parse<Record<string, string>>(await download.text(), { columns: true });
    const paths = ['00001-a-b- -c.png', '', '00003-example.com/', '', '00005-capture.txt'];
    expect(resultsOf(files)).toEqual(expected.map((row, i) => ({ ...row, archive_path: paths[i] })));
  });

  it('leaves out what has expired, was deleted or is lost, and the results say so', async () => {
    const lost = await succeeded({ 'result.png': PNG });
    const half = await succeeded({ 'a.png': PNG, 'b.png': PNG });
    const path = await insertBatch([
      lost,
      { ...(await succeeded({ 'result.png': PNG })), expires_at: new Date(Date.now() - 1_000) },
      { ...(await succeeded({ 'result.png': PNG })), deleted_at: new Date() },
      { ...(await succeeded({ 'result.png': PNG })), deleted_at: new Date(), record_deleted: true },
      { ...(await succeeded({ 'result.png': PNG })), result_key: null },
      half,
    ]);
    await api.storage.delete(String(lost.result_key));
    await api.storage.delete(String(half.result_key));
    const files = await zipOf(path);
    expect(files.map((file) => file.path)).toEqual(['00006-example.com/b.png', 'results.csv']);
    expect(resultsOf(files).map(({ row, archive_path }) => [row, archive_path])).toEqual([
      ...['1', '2', '3', '5'].map((row) => [row, '']),
      ['6', '00006-example.com/'],
    ]);
  });

  it('holds only the results of a batch without files', async () => {
    const files = await zipOf(await insertBatch([{}]));
    expect(files.map(({ path }) => path)).toEqual(['results.csv']);
    expect(resultsOf(files)).toMatchObject([{ row: '1', status: 'queued', archive_path: '' }]);
  });

  it('has a file name and no ranges, and HEAD describes it', async () => {
    const path = await insertBatch([await succeeded({ 'result.png': PNG })]);
    const [got, head] = [await client.get(path, { range: 'bytes=0-1' }), await client.send('HEAD', path)];
    const described = ['content-type', 'content-disposition', 'cache-control', 'accept-ranges', 'etag'];
    const headers = ({ headers: all }: Response) => described.map((name) => all.get(name));
    const name = `attachment; filename=batch-${path.split('/')[3]}.zip`;
    expect([got.status, headers(got)]).toEqual([200, ['application/zip', name, 'no-store', 'none', null]]);
    expect([head.status, await head.text(), headers(head)]).toEqual([200, '', headers(got)]);
    expect(readZip(Buffer.from(await got.arrayBuffer()))).toHaveLength(2);
  });

  it('is available only to the account of the batch', async () => {
    const path = await insertBatch([]);
    const other = await api.client();
    const answers = [
      other.get(path),
      client.get(`/v1/bulk/${newId()}/files.zip`),
      client.get('/v1/bulk/x/files.zip'),
    ];
    for (const answer of answers) expect(await statusAndCode(answer)).toEqual([404, 'not_found']);
    expect(await statusAndCode(client.withKey(null).get(path))).toEqual([401, 'unauthorized']);
  });

  it('is a problem document when the store or the database fails before it begins', async () => {
    const path = await insertBatch([await succeeded({ 'result.png': PNG })]);
    jest.spyOn(api.storage, 'read').mockRejectedValue(new AppError('storage_unavailable'));
    const response = await client.get(path);
    expect(response.headers.get('content-disposition')).toBeNull();
    expect(await statusAndCode(response)).toEqual([503, 'storage_unavailable']);
    await api.database.query(`ALTER TABLE jobs RENAME TO jobs_away`);
    try {
      expect(await json(client.get(path))).toMatchObject({ status: 500, code: 'internal' });
    } finally {
      await api.database.query(`ALTER TABLE jobs_away RENAME TO jobs`);
    }
  });

  it('is cut off when the store fails midway, so that it has no end', async () => {
    const path = await insertBatch([
      await succeeded({ 'result.png': PNG }),
      await succeeded({ 'result.png': PNG }),
    ]);
    const read = api.storage.read.bind(api.storage);
    const reading = jest.spyOn(api.storage, 'read');
    reading.mockImplementationOnce(read).mockRejectedValueOnce(new AppError('storage_unavailable'));
    await expect(client.get(path).then((response) => response.arrayBuffer())).rejects.toThrow();
  });
});

describe('GET /v1/bulk/{id}/files.zip of 10,000 files', () => {
  let path: string;
  let folder: string;

  beforeAll(async () => {
    path = await insertMany(MANY);
    folder = await mkdtemp(join(tmpdir(), 'archive-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it(
    'holds all of them in the order of the rows, and neither them nor itself in memory',
    async () => {
      const seen = storesMany();
      const file = join(folder, 'many.zip');
      const before = process.memoryUsage().rss;
      let most = before;
      const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
      const { body } = await client.get(path);
      await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(file));
      clearInterval(sampling);
      const archive = await readFile(file);
      expect(archive.length).toBeGreaterThan(MANY * MANY_BYTES);
      expect(most - before).toBeLessThan((MANY * MANY_BYTES) / 2);
      expect([seen.read, seen.opened.size]).toEqual([MANY, 0]);
      expect(seen.mostOpen).toBeLessThanOrEqual(2);
      const files = readZip(archive);
      const names = Array.from({ length: MANY }, (_, i) => `${String(i + 1).padStart(5, '0')}-r${i + 1}.png`);
      expect(files.map((each) => each.path)).toEqual([...names, 'results.csv']);
      expect(resultsOf(files).map(({ archive_path }) => archive_path)).toEqual(names);
    },
    WITHIN_MS,
  );

  it(
    'reads no further than its caller, holds no connection of the database, and stops with the caller',
    async () => {
      const seen = storesMany();
      const rows = api.app.get(BatchRowExportRepository, { strict: false });
      const list = rows.files.bind(rows);
      let hasStopped = false;
      jest.spyOn(rows, 'files').mockImplementation(async function* (id) {
        try {
          yield* list(id);
        } finally {
          hasStopped = true;
        }
      });
      const asked = once(api.app.getHttpServer(), 'request') as Promise<[unknown, ServerResponse]>;
      const [[, answer], response] = await Promise.all([asked, client.get(path)]);
      await blocked(answer);
      const { read } = seen;
      expect(read).toBeLessThan(MANY / 4);
      expect(seen.opened.size).toBeLessThanOrEqual(2);
      const { rows: busy } = await api.database.query(
        `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
      );
      expect(busy).toEqual([]);
      // Others are served in the meantime, the same archive included.
      const others = await Promise.all([client.get(path), client.get(path), client.get(path)]);
      expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
      await Promise.all([response, ...others].map(async ({ body }) => body?.cancel()));
      await eventually('the files are closed', () => hasStopped && seen.opened.size === 0);
      expect(seen.read).toBeLessThan(MANY);
    },
    WITHIN_MS,
  );
});

describe('GET /v1/bulk/{id}/files.zip at a shutdown', () => {
  it.each([
    ['is sent whole to a caller who reads', String(WITHIN_MS), true],
    ['is cut off for a caller who does not, after SHUTDOWN_GRACE_MS', '300', false],
  ])(
    '%s',
    async (_, grace, isRead) => {
      const other = await startApi({ SHUTDOWN_GRACE_MS: grace });
      const [mine, myClient] = [api, client];
      [api, client] = [other, await other.client()];
      try {
        const path = await insertMany(FEWER);
        const seen = storesMany();
        const asked = once(api.app.getHttpServer(), 'request') as Promise<[unknown, ServerResponse]>;
        const [[, answer], response] = await Promise.all([asked, client.get(path)]);
        await blocked(answer);
        const closed = other.close();
        const body = isRead ? response.arrayBuffer() : undefined;
        await closed;
        expect(seen.opened.size).toBe(0);
        if (body) expect(readZip(Buffer.from(await body))).toHaveLength(FEWER + 1);
        else await expect(response.arrayBuffer()).rejects.toThrow();
      } finally {
        [api, client] = [mine, myClient];
      }
    },
    60_000,
  );
});

const PNG = Buffer.alloc(20_000, 'png');
const TEXT = Buffer.alloc(20_000, 'Text. ');

/** Waits until the server waits for the caller to read. */
async function blocked(answer: ServerResponse): Promise<void> {
  let written = 0;
  let since = 0;
  await eventually('the server waits', () => {
    const now = answer.socket?.bytesWritten ?? 0;
    since = now === written && answer.writableNeedDrain ? since + 1 : 0;
    written = now;
    return since === 10;
  });
}
