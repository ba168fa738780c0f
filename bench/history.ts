/**
 * `npm run bench -- history`: the cost of a page, of the statistics and of summing up the hours in the history of one
 * account with a million captures in 30 days. One capture in fifty has failed; rows are stored in the order of time, as the
 * service writes them.
 */
import { Test } from '@nestjs/testing';
import pg from 'pg';
import { ConfigModule, loadEnv } from '@app/config';
import { DatabaseModule } from '@app/database';
import { JobHistoryRepository, JobHistoryModule, JobStatsRepository, JobSumsRepository } from '@app/jobs';
import { newId } from '@app/kernel';
import { createDatabase } from '../test/support/database.js';

const ROWS = 1_000_000;
const REPEATS = 7;
const DAYS = 30;
const DAY_MS = 86_400_000;

await using database = await createDatabase();
const accountId = newId();
await fill(database.url);
const module = await Test.createTestingModule({
  imports: [
    ConfigModule.of(loadEnv({ DATABASE_URL: database.url })),
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
await measure('first page', REPEATS, () => history.list(accountId, {}, { limit: 100 }));
const deep = { createdAtMs: range.from + DAY_MS, id: newId() };
await measure('page after 29 days', REPEATS, () => history.list(accountId, {}, { limit: 100, cursor: deep }));
// One in fifty has failed, and none of these is a JPEG.
const none = { status: 'failed', format: 'jpeg' } as const;
await measure('filter without a match', REPEATS, () => history.list(accountId, none, { limit: 100 }));
const noneOfHost = { host: 'example.com', ...none };
await measure('the same of a host', REPEATS, () => history.list(accountId, noneOfHost, { limit: 100 }));
await app.close();

async function measure(what: string, repeats: number, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? NaN;
  console.log(`${what.padEnd(28)} ${median.toFixed(0).padStart(6)} ms`);
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
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, bytes, queue_ms,
                         total_ms, error_code, created_at, url, host)
       SELECT gen_random_uuid(), $1, (ARRAY['sync', 'job', 'batch'])[1 + n % 3],
              CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'succeeded' END, (ARRAY['png', 'jpeg', 'webp', 'pdf'])[1 + n % 4],
              '{"url":"https://example.com/"}', 60000, 'ever', 20000, (random() * 50)::int,
              (100 + random() ^ 3 * 20000)::int, CASE WHEN n % 50 = 0 THEN 'capture_timeout' END,
              now() - n * interval '${(DAYS * DAY_MS) / ROWS} ms', 'https://example.com/', 'example.com'
         FROM generate_series(${ROWS}, 1, -1) AS n`,
      [accountId],
    );
    await client.query(`ALTER TABLE jobs ENABLE TRIGGER jobs_added_late`);
    await client.query('VACUUM ANALYZE jobs');
  } finally {
    await client.end();
  }
}
