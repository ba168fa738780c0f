/**
 * The results CSV of a batch of 100,000 rows from the API, compared with `COPY … TO STDOUT CSV` of the same columns, in
 * alternating rounds. It measures the memory of the API while it writes that file and while it writes ten files of 10,000
 * rows: if the API held what it writes, the one file would take ten times as much. Most of the growth is garbage that V8
 * keeps while there is memory; it soon stops.
 */
import { once } from 'node:events';
import http from 'node:http';
import pg from 'pg';
import { newId } from '@app/kernel';
import type { Apps } from '../../test/support/apps.js';
import type { Account } from '../load.js';
import { peakBytes, readTree } from '../process-tree.js';
import { percentile } from '../round.js';

const ROWS = 100_000;
const PARTS = 10;
const ROUNDS = 5;
const LINE_END = 10;

export async function measureExport(apps: Apps, account: Account): Promise<void> {
  const database = new pg.Client({ connectionString: apps.database.url });
  await database.connect();
  try {
    const whole = await fill(database, account, ROWS);
    const part = await fill(database, account, ROWS / PARTS);
    const contestants = {
      'ten files of 10,000 rows': () => repeat(PARTS, () => download(apps, account, part)),
      'one file of 100,000 rows': () => download(apps, account, whole),
      'COPY of 100,000 rows': () => copy(database, whole),
    };
    const idle = readTree([apps.api.pid]).bytes;
    const results = Object.keys(contestants).map((name) => ({ name, rounds: [] as Round[] }));
    for (let i = -1; i < ROUNDS; i++) {
      for (const [at, work] of Object.values(contestants).entries()) {
        const round = await measured({ pids: [apps.api.pid], idle }, work);
        if (i >= 0) results[at]?.rounds.push(round);
      }
    }
    print(results);
  } finally {
    await database.end();
  }
}

/** Measures what `work`, which resolves to its number of rows, costs the processes. */
async function measured(
  { pids, idle }: { pids: readonly number[]; idle: number },
  work: () => Promise<number>,
): Promise<Round> {
  const before = readTree(pids).cpuS;
  const begin = performance.now();
  const [rows, peak] = await peakBytes(pids, work);
  const rate = rows / ((performance.now() - begin) / 1_000);
  return { rate, cpuUs: ((readTree(pids).cpuS - before) * 1e6) / rows, grown: peak - idle };
}

/** Resolves to the number of rows in the file. */
async function download({ url }: Apps, { key }: Account, batchId: string): Promise<number> {
  const headers = { 'x-api-key': key };
  const request = http.get(new URL(`/v1/bulk/${batchId}/download`, url), { headers, agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let lines = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) lines++;
  }
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}`);
  return lines - 1;
}

async function repeat(times: number, work: () => Promise<number>): Promise<number> {
  let rows = 0;
  for (let i = 0; i < times; i++) rows += await work();
  return rows;
}

/** Resolves to the number of rows; the driver discards them. */
async function copy(database: pg.Client, batchId: string): Promise<number> {
  const { rowCount } = await database.query(
    `COPY (SELECT batch_row, reference, url, final_url, status, http_status, error_code, error->>'detail', attempt,
                  format, width, height, bytes, sha256, title, queue_ms, total_ms, result_key, expires_at, created_at,
                  finished_at
             FROM jobs WHERE batch_id = '${batchId}' ORDER BY batch_row) TO STDOUT CSV HEADER`,
  );
  return rowCount ?? 0;
}

/** Adds a batch of so many rows, of which one in fifty has failed. The tables are not analyzed, as after a real batch. */
async function fill(database: pg.Client, { id: accountId }: Account, rows: number): Promise<string> {
  const id = newId();
  await database.query(
    `INSERT INTO batches (id, account_id, status, total, succeeded, finished_at)
     VALUES ($1, $2, 'completed', $3, $3, now())`,
    [id, accountId, rows],
  );
  await database.query(
    `INSERT INTO jobs (id, account_id, source, status, batch_id, batch_row, reference, url, host, format, options,
                       timeout_ms, usage_period, attempt, final_url, http_status, title, width, height, bytes, sha256,
                       queue_ms, total_ms, result_key, error_code, error, started_at, finished_at, expires_at)
     SELECT gen_random_uuid(), $1, 'batch', CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'succeeded' END, $2, n, 'order-' || n,
            'https://www.example.com/articles/' || n, 'www.example.com', 'png', '{}', 60000, 'ever', 1,
            'https://www.example.com/articles/' || n || '/', 200, 'Article ' || n || ', and what it "is" about', 1280,
            800, 20000 + n, encode(sha256(n::text::bytea), 'hex'), n % 50, 100 + n % 900,
            CASE WHEN n % 50 > 0 THEN 'captures/' || n || '/1.png' END,
            CASE WHEN n % 50 = 0 THEN 'capture_timeout' END,
            CASE WHEN n % 50 = 0 THEN '{"code":"capture_timeout","detail":"Still loading after 60000 ms."}'::jsonb END,
            now(), now(), now() + interval '7 days'
       FROM generate_series(1, $3) AS n`,
    [accountId, id, rows],
  );
  return id;
}

interface Round {
  /** Rows per second. */
  readonly rate: number;
  /** CPU time of the API in µs per row. */
  readonly cpuUs: number;
  /** Peak growth of the API's memory in bytes since before the first round. */
  readonly grown: number;
}

interface Result {
  readonly name: string;
  readonly rounds: readonly Round[];
}

function print(results: readonly Result[]): void {
  const medianOf = ({ rounds }: Result, what: keyof Round): number =>
    percentile(
      rounds.map((round) => round[what]),
      0.5,
    );
  const ofCopy = results.map((result) => medianOf(result, 'rate')).at(-1) ?? NaN;
  for (const result of results) {
    const rate = medianOf(result, 'rate');
    const grown = Math.max(...result.rounds.map((round) => round.grown));
    console.log(
      `${result.name.padEnd(26)}${rate.toFixed(0).padStart(8)} rows/s, ${(rate / ofCopy).toFixed(2)} of COPY; ` +
        `the API: ${medianOf(result, 'cpuUs').toFixed(0)} µs CPU per row, at most ${(grown / 1e6).toFixed(0)} MB more than idle`,
    );
  }
}
