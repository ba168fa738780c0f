/**
 * Batches of 10,000 rows that the API accepts over HTTP, as JSON and as CSV, compared with bare inserts of the same rows, a
 * thousand per statement and all in one transaction. The three alternate, on empty tables. It prints the peak memory of the
 * API (from the kernel) after the first batch of a new process and after the last one: V8 keeps garbage while it has room.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import pg from 'pg';
import { newId } from '@app/kernel';
import type { Apps } from '../../test/support/apps.js';
import type { Account } from '../load.js';
import { percentile } from '../round.js';

const ROWS = 10_000;
const ROWS_PER_STATEMENT = 1_000;
const ROUNDS = 5;

/** The rows of the batch. */
const ITEMS = Array.from({ length: ROWS }, (_, i) => ({
  reference: `order-${i + 1}`,
  url: `https://www.example.com/articles/${i + 1}?from=newsletter`,
  format: 'jpeg',
  quality: 70,
  viewport_width: 1_440,
}));

interface Result {
  /** Duration of each round in seconds. */
  readonly seconds: number[];
  /** Growth of the API's memory in bytes from before the first round to the end of each. */
  readonly grown: number[];
}

export async function measureAccepting(apps: Apps, account: Account): Promise<void> {
  const database = new pg.Client({ connectionString: apps.database.url });
  await database.connect();
  const json = JSON.stringify({ items: ITEMS });
  const csv = toCsv();
  const contestants = {
    'bare rows': () => insertRows(database, account),
    JSON: () => post(apps, account, { path: '/v1/bulk/json', type: 'application/json', body: json }),
    CSV: () => post(apps, account, { path: '/v1/bulk/csv', type: 'text/csv', body: csv }),
  };
  const results = new Map<string, Result>();
  try {
    const idle = memoryOf(apps.api.pid).now;
    // The first round of each is not timed, but its memory counts.
    for (let i = -1; i < ROUNDS; i++) {
      for (const [name, accept] of Object.entries(contestants)) {
        const result = results.get(name) ?? { seconds: [], grown: [] };
        results.set(name, result);
        await database.query('TRUNCATE jobs, batches');
        const begin = performance.now();
        await accept();
        if (i >= 0) result.seconds.push((performance.now() - begin) / 1_000);
        result.grown.push(memoryOf(apps.api.pid).peak - idle);
      }
    }
  } finally {
    await database.end();
  }
  print(results);
}

function toCsv(): string {
  const [first = {}] = ITEMS;
  return [Object.keys(first), ...ITEMS.map((row) => Object.values(row))]
    .map((cells) => cells.join())
    .join('\n');
}

interface Submission {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

async function post({ url }: Apps, { key }: Account, { path, type, body }: Submission): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': type, 'content-length': Buffer.byteLength(body) };
  const request = http.request(new URL(path, url), { method: 'POST', headers, agent: false });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const answer = Buffer.concat((await response.toArray()) as Buffer[]).toString();
  if (response.statusCode !== 202) throw new Error(`${response.statusCode}: ${answer.slice(0, 500)}`);
}

async function insertRows(database: pg.Client, { id: accountId }: Account): Promise<void> {
  const batchId = newId();
  await database.query('BEGIN');
  for (let from = 0; from < ROWS; from += ROWS_PER_STATEMENT) {
    const rows = ITEMS.slice(from, from + ROWS_PER_STATEMENT).map((asked, i) => [
      ...[newId(), accountId, batchId, from + i + 1, asked.reference, asked.url, JSON.stringify(asked)],
    ]);
    const width = rows[0]?.length ?? 0;
    const places = rows.map(
      (row, at) =>
        `(${row.map((_, i) => `$${at * width + i + 1}`).join()}, 'batch', 'queued', 'www.example.com', 'jpeg', 60000, 'ever')`,
    );
    await database.query(
      `INSERT INTO jobs (id, account_id, batch_id, batch_row, reference, url, options, source, status, host, format,
                         timeout_ms, usage_period) VALUES ${places.join()}`,
      rows.flat(),
    );
  }
  await database.query('COMMIT');
}

/** Resident bytes of a process, and the most that it ever had. */
function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1_024;
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

function print(results: ReadonlyMap<string, Result>): void {
  const median = (name: string): number => percentile(results.get(name)?.seconds ?? [], 0.5);
  const bare = median('bare rows');
  console.log(`a batch of ${ROWS.toLocaleString('en')} rows`);
  for (const [name, { grown }] of results) {
    const seconds = median(name);
    const [first, last] = [grown[0], grown.at(-1)].map((bytes = 0) => (bytes / 1e6).toFixed(0));
    const memory =
      name === 'bare rows' ? '' : `, the API has grown by ${first} MB at first, ${last} MB in the end`;
    console.log(
      `${name.padEnd(12)}${seconds.toFixed(2).padStart(6)} s, ${(ROWS / seconds).toFixed(0).padStart(6)} rows/s, ` +
        `${(seconds / bare).toFixed(2)} × bare rows${memory}`,
    );
  }
}
