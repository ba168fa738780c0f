/**
 * A batch compared with raw Puppeteer at the same concurrency, on the same pages, in alternating rounds: on pages of many
 * hosts, and on those of one host, of which a batch captures at most 4 at once.
 */
import type { ChildProcess } from 'node:child_process';
import pg from 'pg';
import { startApps, type Apps } from '../../test/support/apps.js';
import { Client, json } from '../../test/support/client.js';
import { runRoundOf, startContestant } from '../contestant.js';
import { servePages } from '../pages.js';
import { percentile } from '../round.js';

const HOSTS = Array.from({ length: 12 }, (_, n) => `127.0.0.${n + 1}`);

/** How long one request waits for the batch. */
const WAIT_S = 30;

export interface ThroughputPlan {
  readonly rows: number;
  readonly rounds: number;
  readonly concurrency: number;
}

interface BatchRun {
  /** Rows per second from the acceptance to the last end. */
  readonly perSecond: number;
  /** Average time in ms between the end of one row and the start of the next one on a slot. */
  readonly gapMs: number;
}

export async function measureThroughput(plan: ThroughputPlan): Promise<void> {
  await using pages = await servePages(HOSTS);
  const apps = await startApps({
    EGRESS_ALLOW: `127.0.0.0/8:${pages.port}`,
    // One is reserved for synchronous captures.
    WORKER_SLOTS: String(plan.concurrency + 1),
    BROWSER_MAX_CAPTURES: '100000',
    HOST_CONCURRENCY: '1000',
  });
  const raw = await startContestant('./raw.js');
  const database = new pg.Client({ connectionString: apps.database.url });
  try {
    await database.connect();
    // The limit of one account is not what the bench measures.
    await database.query('UPDATE accounts SET concurrency = 1000');
    const ofOneHost = pages.urls.filter((url) => new URL(url).hostname === HOSTS[0]);
    const contest = { apps, raw, database };
    await compare('many hosts', pages.urls, { ...contest, plan });
    await compare('one host', ofOneHost, { ...contest, plan });
  } finally {
    raw.disconnect();
    await database.end();
    await apps.stop();
  }
}

interface Contest {
  readonly apps: Apps;
  readonly raw: ChildProcess;
  readonly database: pg.Client;
  readonly plan: ThroughputPlan;
}

async function compare(name: string, urls: readonly string[], contest: Contest): Promise<void> {
  const { rows, rounds, concurrency } = contest.plan;
  const rawRates: number[] = [];
  const batches: BatchRun[] = [];
  for (let i = -1; i < rounds; i++) {
    const { durations, elapsed } = await runRoundOf(contest.raw, { urls, captures: rows, concurrency });
    const batch = await runBatch(
      Array.from({ length: rows }, (_, n) => urls[n % urls.length] ?? ''),
      contest,
    );
    // The first round warms up.
    if (i < 0) continue;
    rawRates.push(durations.length / (elapsed / 1_000));
    batches.push(batch);
  }
  const rate = percentile(rawRates, 0.5);
  const batchRate = percentile(
    batches.map(({ perSecond }) => perSecond),
    0.5,
  );
  const gapMs = percentile(
    batches.map((each) => each.gapMs),
    0.5,
  );
  console.log(
    `${name.padEnd(10)} concurrency ${concurrency}: batch ${batchRate.toFixed(2)}/s, raw Puppeteer ${rate.toFixed(2)}/s, ` +
      `batch / raw ${(batchRate / rate).toFixed(3)}; ${gapMs.toFixed(1)} ms between two captures of a slot`,
  );
}

async function runBatch(urls: readonly string[], { apps, database, plan }: Contest): Promise<BatchRun> {
  const client = new Client(apps);
  const made = await database.query(
    `WITH b AS (INSERT INTO batches (id, account_id, status, total, queued) SELECT gen_random_uuid(), (SELECT id FROM accounts LIMIT 1), 'queued', $1, $1 RETURNING *), j AS (INSERT INTO jobs (id, account_id, source, batch_id, batch_row, status, url, host, format, options, timeout_ms, usage_period, created_at)
      SELECT gen_random_uuid(), b.account_id, 'batch', b.id, n, 'queued', u, split_part(split_part(u, '/', 3), ':', 1), 'png', jsonb_build_object('url', u), 60000, 'ever', clock_timestamp() FROM b, unnest($2::text[]) WITH ORDINALITY x(u, n)) SELECT id FROM b`,
    [urls.length, urls],
  );
  const id = (made.rows[0] as { id: string }).id;
  await database.query(`SELECT pg_notify('capture_job_waiting', '')`);
  let record = await json(client.get(`/v1/bulk/${String(id)}`));
  while (record.finished_at === null)
    record = await json(client.get(`/v1/bulk/${String(id)}?wait=${WAIT_S}`));
  const { rows } = await database.query<{ succeeded: number; busy: number; open: number; all: number }>(
    `SELECT count(*) FILTER (WHERE job.status = 'succeeded')::int AS succeeded,
            extract(epoch FROM sum(job.finished_at - job.started_at))::float8 AS busy,
            extract(epoch FROM max(job.finished_at) - min(job.started_at))::float8 AS open,
            extract(epoch FROM max(job.finished_at) - min(job.created_at))::float8 AS all
       FROM jobs job WHERE batch_id = $1`,
    [id],
  );
  const [{ succeeded, busy, open, all } = { succeeded: 0, busy: NaN, open: NaN, all: NaN }] = rows;
  if (succeeded !== urls.length) throw new Error(`${urls.length - succeeded} rows did not succeed`);
  return { perSecond: succeeded / all, gapMs: ((plan.concurrency * open - busy) / succeeded) * 1_000 };
}
