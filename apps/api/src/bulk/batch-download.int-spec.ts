import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { BatchRowExportRepository } from '@app/jobs';
import { newId } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';

type Account = Client & { readonly accountId: string };
type Cells = Record<string, unknown>;

let api: TestApi;
let client: Account;

beforeAll(async () => {
  api = await startApi();
  client = await api.client();
});
afterAll(() => api.close());

/** Inserts a batch with rows of these columns. */
async function insertBatch(rows: readonly Cells[]): Promise<string> {
  const id = newId();
  await api.database.query(
    `INSERT INTO batches (id, account_id, status, total) VALUES ($1, $2, 'running', $3)`,
    [id, client.accountId, rows.length],
  );
  for (const row of rows) {
    const cells = { ...ROW, id: newId(), account_id: client.accountId, batch_id: id, ...row };
    const names = Object.keys(cells);
    await api.database.query(
      `INSERT INTO jobs (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
      Object.values(cells),
    );
  }
  return id;
}

const ROW = {
  source: 'batch',
  status: 'queued',
  url: 'https://example.com/',
  format: 'png',
  options: '{}',
  timeout_ms: 60_000,
  usage_period: 'ever',
  created_at: '2026-11-21T10:00:00.000Z',
};

async function rowsOf(id: string): Promise<Record<string, string>[]> {
  const response = await client.get(`/v1/bulk/${id}/download`);
  expect(response.status).toBe(200);
  return parse(await response.text(), { columns: true });
}

describe('GET /v1/bulk/{id}/download', () => {
  it('contains every row in its current state, in row order, while the batch runs', async () => {
    const done = newId();
    const id = await insertBatch([
      { batch_row: 4, status: 'canceled', finished_at: '2026-11-21T10:00:03.001Z' },
      {
        batch_row: 2,
        status: 'failed',
        attempt: 3,
        error: { code: 'target_dns_error', detail: 'Could not resolve "exmaple.com", it seems' },
        error_code: 'target_dns_error',
      },
      { batch_row: 3, status: 'running', attempt: 1, reference: `=cmd|'/c calc'!A1` },
      { id: done, batch_row: 1, ...SUCCEEDED },
      { batch_row: 5, url: null },
    ]);
    const rows = await rowsOf(id);
    const created = { created_at: '2026-11-21T10:00:00.000Z', format: 'png' };
    const url = 'https://example.com/';
    expect(rows.map(filledCells)).toEqual([
      {
        ...created,
        row: '1',
        reference: 'a, "b"',
        url,
        final_url: 'https://example.com/final',
        status: 'succeeded',
        http_status: '200',
        attempts: '1',
        width: '1280',
        height: '800',
        bytes: '18231',
        sha256: 'ab12',
        title: 'Two\nlines, ü',
        queue_ms: '3',
        total_ms: '187',
        result_url: `/v1/captures/${done}/result`,
        expires_at: '2026-11-28T10:00:02.000Z',
        finished_at: '2026-11-21T10:00:02.120Z',
      },
      {
        ...created,
        row: '2',
        url,
        status: 'failed',
        error_code: 'target_dns_error',
        error_message: 'Could not resolve "exmaple.com", it seems',
        attempts: '3',
      },
      {
        ...created,
        row: '3',
        reference: `'=cmd|'/c calc'!A1`,
        url,
        status: 'running',
        attempts: '1',
      },
      {
        ...created,
        row: '4',
        url,
        status: 'canceled',
        attempts: '0',
        finished_at: '2026-11-21T10:00:03.001Z',
      },
      { ...created, row: '5', status: 'queued', attempts: '0' },
    ]);
  });

  it('has a file name, and HEAD describes it', async () => {
    const path = `/v1/bulk/${await insertBatch([{ batch_row: 1 }])}/download`;
    const [got, head] = [await client.get(path), await client.send('HEAD', path)];
    const described = ['content-type', 'content-disposition', 'cache-control'];
    const headers = ({ headers: all }: Response) => described.map((name) => all.get(name));
    expect(headers(got)).toEqual([
      'text/csv; charset=utf-8',
      `attachment; filename=batch-${path.split('/')[3]}.csv`,
      'no-store',
    ]);
    expect([head.status, await head.text(), headers(head)]).toEqual([200, '', headers(got)]);
    expect(await got.text()).toMatch(/^row,reference,[\s\S]*\r\n1,[^\r\n]*\r\n$/);
  });

  it('leaves out rows without a record, and the URL of a deleted file', async () => {
    const id = await insertBatch([
      { batch_row: 1, ...SUCCEEDED },
      { batch_row: 2, ...SUCCEEDED, result_key: null },
    ]);
    await api.database.query(`DELETE FROM jobs WHERE batch_id = $1 AND batch_row = 1`, [id]);
    expect((await rowsOf(id)).map(({ row, result_url }) => [row, result_url])).toEqual([['2', '']]);
    await api.database.query(`DELETE FROM jobs WHERE batch_id = $1`, [id]);
    expect(await rowsOf(id)).toEqual([]);
  });

  it('is available only to the account of the batch', async () => {
    const path = `/v1/bulk/${await insertBatch([{ batch_row: 1 }])}/download`;
    const other = await api.client();
    const answers = [
      other.get(path),
      client.get(`/v1/bulk/${newId()}/download`),
      client.get('/v1/bulk/x/download'),
    ];
    for (const answer of answers)
      expect(await json(answer)).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('is a problem document when the first rows cannot be read', async () => {
    const id = await insertBatch([{ batch_row: 1 }]);
    await withoutJobs(async () => {
      const response = await client.get(`/v1/bulk/${id}/download`);
      expect(response.headers.get('content-disposition')).toBeNull();
      expect(await json(response)).toMatchObject({ status: 500, code: 'internal' });
    });
  });
});

describe('GET /v1/bulk/{id}/download of many rows', () => {
  it('contains all of them, in order', async () => {
    const file = await client.get(await manyRows({ rows: 25_000, urlCharacters: 20 }));
    const rows = parse<{ row: string; url: string }>(await file.text(), { columns: true });
    const misplaced = rows.findIndex(
      ({ row, url }, i) => row !== String(i + 1) || url !== `https://example.com/${row}`,
    );
    expect([rows.length, misplaced]).toEqual([25_000, -1]);
  });

  describe('to a caller who does not read', () => {
    // Far more than the kernel buffers for the caller.
    const ROWS = 10_000;
    const URL_CHARACTERS = 3_000;
    let path: string;

    beforeAll(async () => {
      path = await manyRows({ rows: ROWS, urlCharacters: URL_CHARACTERS });
    });

    it('reads no further than the caller, and continues with the caller', async () => {
      const { file, answer } = await openUnread();
      await blocked(answer);
      const { socket } = answer;
      expect(socket?.bytesWritten).toBeLessThan((ROWS * URL_CHARACTERS * 2) / 3);
      expect((await file.text()).split('\r\n')).toHaveLength(ROWS + 2);
    });

    it('stops reading when the caller disconnects', async () => {
      const results = api.app.get(BatchRowExportRepository, { strict: false });
      const read = results.pages.bind(results);
      let pages = 0;
      let hasStopped = false;
      const watch = jest.spyOn(results, 'pages').mockImplementation(async function* (id) {
        try {
          for await (const page of read(id)) {
            pages++;
            yield page;
          }
        } finally {
          hasStopped = true;
        }
      });
      const { file, answer } = await openUnread();
      await blocked(answer);
      await file.body?.cancel();
      await eventually('the reading has stopped', () => hasStopped);
      watch.mockRestore();
      expect(pages).toBeGreaterThan(0);
      expect(pages).toBeLessThan(ROWS / 500);
    });

    it('aborts the connection when the rest cannot be read', async () => {
      const results = api.app.get(BatchRowExportRepository, { strict: false });
      const read = results.pages.bind(results);
      const watch = jest.spyOn(results, 'pages').mockImplementation(async function* (id) {
        for await (const page of read(id)) {
          yield page;
          throw new Error('The database is away');
        }
      });
      await expect(client.get(path).then((file) => file.text())).rejects.toThrow();
      watch.mockRestore();
    });

    /** Both ends of a response that the caller does not read yet. */
    async function openUnread(): Promise<{ file: Response; answer: ServerResponse }> {
      const asked = once(api.app.getHttpServer(), 'request') as Promise<[unknown, ServerResponse]>;
      const [[, answer], file] = await Promise.all([asked, client.get(path)]);
      return { file, answer };
    }
  });
});

/** Inserts a batch with many rows, and returns the path of its download. */
async function manyRows({ rows, urlCharacters }: { rows: number; urlCharacters: number }) {
  const id = await insertBatch([]);
  await api.database.query(
    `INSERT INTO jobs (id, account_id, source, status, batch_id, batch_row, url, format, options, timeout_ms,
                       usage_period, final_url)
     SELECT gen_random_uuid(), $1, 'batch', 'canceled', $2, n, 'https://example.com/' || n, 'png', '{}', 60000, 'ever',
            repeat('x', $4)
       FROM generate_series(1, $3) AS n`,
    [client.accountId, id, rows, urlCharacters],
  );
  return `/v1/bulk/${id}/download`;
}

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

/** Runs `use` while the table of jobs does not exist. */
async function withoutJobs(use: () => Promise<void>): Promise<void> {
  await api.database.query(`ALTER TABLE jobs RENAME TO jobs_away`);
  try {
    await use();
  } finally {
    await api.database.query(`ALTER TABLE jobs_away RENAME TO jobs`);
  }
}

/** The cells that are not empty. */
function filledCells(row: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== ''));
}

const SUCCEEDED = {
  status: 'succeeded',
  attempt: 1,
  reference: 'a, "b"',
  final_url: 'https://example.com/final',
  http_status: 200,
  title: 'Two\nlines, ü',
  width: 1_280,
  height: 800,
  bytes: 18_231,
  sha256: 'ab12',
  result_key: 'captures/x/1.png',
  queue_ms: 3,
  total_ms: 187,
  expires_at: '2026-11-28T10:00:02.000Z',
  finished_at: '2026-11-21T10:00:02.120Z',
};
