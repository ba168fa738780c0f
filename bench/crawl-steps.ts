/**
 * `npm run bench -- crawl-steps [--pages 1000 --links 100]`: what a crawl takes besides its captures. It runs the steps of a crawl
 * whose captures end at once, and prints the CPU time for each page, here and in PostgreSQL, and the memory.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BatchFeedService } from '@app/bulk';
import { CrawlRunnerService, CrawlRunningModule } from '@app/crawls';
import { DatabaseService } from '@app/database';
import { newId } from '@app/kernel';
import { startJobs } from '../test/support/jobs.js';

const { values } = parseArgs({
  options: { pages: { type: 'string', default: '1000' }, links: { type: 'string', default: '100' } },
});
const [pages, links] = [Number(values.pages), Number(values.links)];
const ORIGIN = 'https://example.com';
const never = new AbortController().signal;

const service = await startJobs({ imports: [CrawlRunningModule] });
const { database } = service;
const runner = service.app.get(CrawlRunnerService, { strict: false });
const crawlId = newId();
await addCrawl();

const started = { own: process.cpuUsage(), postgres: await ticksOfBackends() };
let steps = 0;
let outsideMs = 0;
let peakMb = 0;
for (let isOpen = true; isOpen; steps++) {
  await runner.runDue(never);
  peakMb = Math.max(peakMb, process.memoryUsage().rss / 1e6);
  const before = { own: ownMs(), postgres: await ticksOfBackends() };
  isOpen = await endCaptures();
  outsideMs += ownMs() - before.own;
  started.postgres += (await ticksOfBackends()) - before.postgres;
}
const { user, system } = process.cpuUsage(started.own);
const own = (user + system) / 1_000 - outsideMs;
const postgres = ((await ticksOfBackends()) - started.postgres) * 10;
const { rows } = await database.query(`SELECT discovered, skipped FROM crawls`);
console.log(JSON.stringify(rows[0]));
console.log(`${pages} pages with ${links} links, ${steps} steps, ${Math.round(peakMb)} MB`);
console.log(
  `CPU a page: ${(own / pages).toFixed(2)} ms here, ${(postgres / pages).toFixed(2)} ms in PostgreSQL`,
);
await service.close();

/** A crawl whose start is known and whose robots.txt is read. */
async function addCrawl(): Promise<void> {
  const accountId = await database.addAccount({ allowance: 1_000_000, concurrency: 50 });
  const batchId = newId();
  await service.app.get(DatabaseService, { strict: false }).transaction((transaction) => {
    return service.app.get(BatchFeedService, { strict: false }).open(transaction, { id: batchId, accountId });
  });
  const rules = {
    source: 'links',
    same: 'host',
    limit: pages,
    max_depth: 100,
    limit_per_pattern: 10_000,
    include: [],
    exclude: [],
    robots: 'obey',
    dry_run: false,
  };
  const none = { robots: 0, filter: 0, duplicate: 0, depth: 0, limit: 0 };
  await database.query(
    `INSERT INTO crawls (id, account_id, batch_id, url, rules, stage, discovered, skipped) VALUES ($1, $2, $3, $4, $5, 'links', 1, $6)`,
    [crawlId, accountId, batchId, `${ORIGIN}/p0x`, JSON.stringify(rules), JSON.stringify(none)],
  );
  await database.query(
    `INSERT INTO crawl_pages (crawl_id, key, number, url, pattern, depth, found_by, state)
     VALUES ($1, sha256(convert_to($2, 'UTF8')), 1, $2, '', 0, 'start', 'found')`,
    [crawlId, `${ORIGIN}/p0x`],
  );
  await database.query(`INSERT INTO crawl_robots (crawl_id, origin, content) VALUES ($1, $2, '')`, [
    crawlId,
    ORIGIN,
  ]);
}

/** Ends the captures that wait, whose pages link to some of the others. Returns whether the crawl goes on. */
async function endCaptures(): Promise<boolean> {
  await database.query(
    `UPDATE jobs SET status = 'succeeded', http_status = 200, finished_at = clock_timestamp(), final_url = url, page = '{}',
            page_lists = json_build_object('links', (
              SELECT json_agg(json_build_object('url', $1 || '/p' || (batch_row * 7 + i) % $2 || 'x', 'text', 'A link', 'rel', '',
                                                'internal', true))
                FROM generate_series(1, $3::integer) AS i))
      WHERE status = 'queued'`,
    [ORIGIN, pages, links],
  );
  const { rows: open } = await database.query(
    `UPDATE crawls SET next_run_at = now() WHERE finished_at IS NULL RETURNING id`,
  );
  return open.length > 0;
}

function ownMs(): number {
  const usage = process.cpuUsage();
  return (usage.user + usage.system) / 1_000;
}

/** The CPU time of the connections to this database so far, in hundredths of a second. */
async function ticksOfBackends(): Promise<number> {
  const { rows: backends } = await database.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
  );
  return backends.reduce((sum, { pid }) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}
