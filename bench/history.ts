/**
 * `npm run bench -- history`: the cost of a page with each filter, of the statistics and of summing up the hours in the
 * history of one account with a million captures in 30 days; then the sizes of the table and its indexes. Rows are stored in the
 * order of time, as the service writes them. Captures have every combination of source, format and outcome, which is the
 * most that an account can do to make a page cost more, but values of hosts, references and verdicts that never
 * occur together.
 */
import { Test } from '@nestjs/testing';
import pg from 'pg';
import { FORMAT_NAMES, VERDICTS } from '@app/capture';
import { ConfigModule, loadEnv } from '@app/config';
import { DatabaseModule } from '@app/database';
import {
  JOB_SOURCES,
  JobHistoryModule,
  JobHistoryRepository,
  JobStatsRepository,
  JobSumsRepository,
  type JobSearch,
} from '@app/jobs';
import { newId } from '@app/kernel';
import { createDatabase } from '../test/support/database.js';
import { percentile } from './round.js';

const ROWS = 1_000_000;
const REPEATS = 7;
const DAYS = 30;
const DAY_MS = 86_400_000;

await using database = await createDatabase();
const accountId = newId();
await fill(database.url);
const module = await Test.createTestingModule({
  imports: [
    ConfigModule.forEnvironment(loadEnv({ DATABASE_URL: database.url })),
    DatabaseModule.connect('bench'),
    JobHistoryModule,
  ],
}).compile();
const app = await module.init();
const history = app.get(JobHistoryRepository);
const stats = app.get(JobStatsRepository);
const to = Date.now();
const range = { from: to - DAYS * DAY_MS, to };

await measure('statistics, nothing summed', REPEATS, () => stats.read(accountId, range, 'day'));
await measure('sum up 30 days', 1, () => app.get(JobSumsRepository).bringUpToDate());
await measure('sum up, nothing to do', REPEATS, () => app.get(JobSumsRepository).bringUpToDate());
await measure('statistics by day', REPEATS, () => stats.read(accountId, range, 'day'));
await measure('statistics by hour', REPEATS, () => stats.read(accountId, range, 'hour'));
for (const filter of filters()) {
  for (const days of [0, 15, 29]) {
    const cursor = days === 0 ? undefined : { createdAtMs: to - days * DAY_MS, id: newId() };
    const name = `${JSON.stringify(filter)}, ${days === 0 ? 'first page' : `after ${days} days`}`;
    await measure(name, REPEATS, () => history.list(accountId, filter, { limit: 100, cursor }));
  }
}
await reportSizes();
await app.close();

function filters(): JobSearch[] {
  const [one, two] = ['one', 'two'];
  const [a, b] = ['a.example', 'b.example'];
  return [
    {},
    ...[{ status: 'succeeded' } as const, { source: 'batch' } as const, { format: 'pdf' } as const],
    ...[
      { verdict: 'page' } as const,
      { verdict: 'bot_wall' } as const,
      { changed: true },
      { changed: false },
    ],
    ...[{ hasError: true }, { hasError: false }, { changed: true, verdict: 'page', source: 'job' } as const],
    ...[{ host: a }, { host: a, verdict: 'bot_wall' } as const, { host: b, changed: true }],
    ...[
      { reference: one },
      { reference: one, verdict: 'bot_wall' } as const,
      { reference: two, hasError: true },
    ],
    ...[{ reference: one, host: b }, { reference: two, host: b, verdict: 'page', changed: false } as const],
    ...[{ contains: 'example' }, { contains: 'not there' }, { contains: 'not there', host: a }],
    { createdAfter: new Date(to - 20 * DAY_MS).toISOString(), host: a, verdict: 'login_wall' },
  ];
}

async function measure(what: string, repeats: number, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  const at = (share: number): string => percentile(times, share).toFixed(1).padStart(8);
  console.log(`${what.padEnd(100)} p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
}

async function reportSizes(): Promise<void> {
  const { rows } = await database.query<{ name: string; megabytes: number }>(
    `SELECT relname AS name, pg_relation_size(oid) / 1e6 AS megabytes FROM pg_class
      WHERE (oid = 'jobs'::regclass OR relname LIKE 'jobs\\_%') AND relkind IN ('r', 'i') ORDER BY 2 DESC LIMIT 8`,
  );
  for (const { name, megabytes } of rows) console.log(`${name.padEnd(100)} ${megabytes.toFixed(0)} MB`);
}

async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO accounts (id, name, allowance, allowance_period, concurrency) VALUES ($1, 'bench', 1, 'ever', 1)`,
      [accountId],
    );
    // The sums end before the rows begin, as in a service that has run for a month; else every row counts as late.
    await client.query(
      `UPDATE job_hours_summed SET until = date_trunc('hour', now() - interval '31 days', 'UTC')`,
    );
    await client.query(`ALTER TABLE jobs DISABLE TRIGGER jobs_added_late`);
    await client.query(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, bytes, total_bytes,
                         queue_ms, total_ms, error_code, created_at, finished_at, url, host, reference, verdict, changed)
       SELECT gen_random_uuid(), $1, source, status, format, '{"url":"https://example.com/"}', 60000, 'ever', 20000, 20000,
              (random() * 50)::int, (100 + random() ^ 3 * 20000)::int, CASE WHEN status = 'failed' THEN 'capture_timeout' END,
              at, at, 'https://example.com/', host, CASE WHEN host = 'a.example' THEN 'one' ELSE 'two' END,
              CASE WHEN status IN ('succeeded', 'failed') THEN jsonb_build_object('kind', kind) END,
              CASE WHEN status = 'succeeded' THEN (ARRAY[NULL, true, false])[1 + floor(random() * 3)::int] END
         FROM (SELECT now() - n * interval '${(DAYS * DAY_MS) / ROWS} ms' AS at, ($2::text[])[1 + n % 3] AS source,
                      ($3::text[])[1 + floor(random() * cardinality($3))::int] AS format,
                      CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'succeeded' END AS status, host,
                      CASE WHEN kind <> 'bot_wall' OR host = 'b.example' THEN kind END AS kind
                 FROM (SELECT n, (ARRAY['a.example', 'b.example'])[1 + floor(random() * 2)::int] AS host,
                              ($4::text[])[1 + floor(random() * cardinality($4))::int] AS kind
                         FROM generate_series(${ROWS}, 1, -1) AS n) AS drawn) AS capture`,
      [accountId, JOB_SOURCES, FORMAT_NAMES, VERDICTS],
    );
    await client.query(`ALTER TABLE jobs ENABLE TRIGGER jobs_added_late`);
    await client.query('VACUUM ANALYZE jobs');
  } finally {
    await client.end();
  }
}
