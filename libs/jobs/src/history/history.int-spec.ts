import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { decodeCursor, newId } from '@app/kernel';
import type { TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { startModules, type StartedModules } from '../../../../test/support/modules.js';
import type { JobFilter } from './history-page.js';
import { JobHistoryModule } from './job-history.module.js';
import { JobHistoryRepository } from './job-history.repository.js';
import {
  FEW_ROWS_READ,
  JobStatsRepository,
  MAX_ROWS_READ,
  type StatsBucket,
} from './job-stats.repository.js';
import { JobSumsRepository } from './job-sums.repository.js';

const HOUR_MS = 3_600_000;

describe('history of jobs', () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let client: TestDatabase;
  let history: JobHistoryRepository;
  let stats: JobStatsRepository;
  let sums: JobSumsRepository;
  let accountId: string;

  beforeAll(async () => {
    service = await startModules({ imports: [JobHistoryModule] });
    ({ app, database: client } = service);
    history = app.get(JobHistoryRepository);
    stats = app.get(JobStatsRepository);
    sums = app.get(JobSumsRepository);
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    accountId = await client.addAccount();
  });

  /** Inserts a finished job that is `ageHours` old, unless `more` says otherwise. */
  async function addJob(more: Record<string, unknown> = {}, ageHours = 5): Promise<string> {
    const row: Record<string, unknown> = {
      id: newId(),
      account_id: accountId,
      source: 'job',
      status: 'succeeded',
      format: 'png',
      options: '{}',
      timeout_ms: 60_000,
      usage_period: 'ever',
      total_bytes: 100,
      queue_ms: 4,
      total_ms: 8,
      created_at: new Date(Date.now() - ageHours * HOUR_MS),
      ...more,
    };
    const names = Object.keys(row);
    await client.query(
      `INSERT INTO jobs (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
      Object.values(row),
    );
    return row.id as string;
  }

  describe(JobHistoryRepository.name, () => {
    const idsOf = async (filter: JobFilter) =>
      (await history.list(accountId, filter, { limit: 100 })).items.map(({ id }) => id);

    it('pages through all jobs once, newest first, even if their times are equal', async () => {
      const at = new Date('2026-05-01T10:00:00.123Z');
      const ids = [];
      for (let i = 0; i < 7; i++)
        ids.push(await addJob({ created_at: i < 4 ? at : new Date(at.getTime() + i) }));
      const seen: string[] = [];
      let cursor = undefined;
      for (const size of [3, 3, 1]) {
        const page = await history.list(accountId, {}, { limit: 3, cursor });
        expect(page.items).toHaveLength(size);
        seen.push(...page.items.map(({ id }) => id));
        expect(page.nextCursor === null).toBe(size === 1);
        cursor = page.nextCursor === null ? undefined : decodeCursor(page.nextCursor);
      }
      expect(seen).toEqual([...ids].reverse());
    });

    it('returns no cursor after a last page that is full', async () => {
      await addJob();
      await addJob();
      expect((await history.list(accountId, {}, { limit: 2 })).nextCursor).toBeNull();
    });

    it('never shows the jobs of another account', async () => {
      await addJob();
      accountId = await client.addAccount();
      expect(await idsOf({})).toEqual([]);
    });

    it('applies each filter', async () => {
      const batchId = newId();
      await addJob({ created_at: '2026-01-01T00:00:00Z' });
      const wanted = await addJob({
        status: 'failed',
        source: 'batch',
        format: 'pdf',
        host: 'example.com',
        url: 'https://example.com:8443/one',
        reference: 'a',
        batch_id: batchId,
        created_at: '2026-01-02T00:00:00Z',
        verdict: { kind: 'bot_wall', evidence: [] },
      });
      await addJob({ created_at: '2026-01-03T00:00:00Z' });
      const filters: JobFilter[] = [
        { status: 'failed' },
        { source: 'batch' },
        { format: 'pdf' },
        { verdict: 'bot_wall' },
        { hasError: true },
        { host: 'example.com' },
        { host: 'example.com', origins: ['http://example.com:8443/', 'https://example.com:8443/'] },
        { batchId, host: 'example.com', origins: ['https://example.com:8443/'] },
        { reference: 'a' },
        { batchId },
        { createdAfter: '2026-01-01T00:00:00.000Z', createdBefore: '2026-01-03T01:00:00+01:00' },
      ];
      for (const filter of filters) expect(await idsOf(filter)).toEqual([wanted]);
      expect(await idsOf({ host: 'example.com', origins: ['https://example.com/'] })).toEqual([]);
    });
  });

  describe('filters by outcome', () => {
    const kinds = ['page', 'blank', 'bot_wall', 'login_wall', 'error_page'] as const;
    const verdict = (kind: string) => ({ verdict: { kind, evidence: [] } });
    const idsOf = async (filter: JobFilter) =>
      (await history.list(accountId, filter, { limit: 100 })).items.map(({ id }) => id).sort();

    it('match no capture without a verdict or a comparison', async () => {
      await addJob();
      await addJob({ status: 'queued' });
      for (const kind of kinds) expect(await idsOf({ verdict: kind })).toEqual([]);
      for (const changed of [true, false]) expect(await idsOf({ changed })).toEqual([]);
    });

    it('are combined with one another', async () => {
      const page = await addJob({ ...verdict('page'), changed: true });
      const same = await addJob({ ...verdict('page'), changed: false });
      const wall = await addJob({ ...verdict('bot_wall'), status: 'failed', error_code: 'condition_failed' });
      const plain = await addJob({ ...verdict('bot_wall') });
      expect(await idsOf({ verdict: 'page' })).toEqual([page, same]);
      expect(await idsOf({ verdict: 'page', changed: true })).toEqual([page]);
      expect(await idsOf({ changed: false })).toEqual([same]);
      expect(await idsOf({ verdict: 'bot_wall' })).toEqual([wall, plain]);
      expect(await idsOf({ verdict: 'bot_wall', hasError: true })).toEqual([wall]);
      expect(await idsOf({ verdict: 'bot_wall', hasError: false })).toEqual([plain]);
      expect(await idsOf({ status: 'succeeded', hasError: true })).toEqual([]);
      expect(await idsOf({ verdict: 'blank', changed: true })).toEqual([]);
    });

    it('find every row, because the table refuses others', async () => {
      await expect(addJob({ status: 'canceled', changed: true })).rejects.toThrow('jobs_outcome_check');
      await expect(addJob({ status: 'queued', ...verdict('page') })).rejects.toThrow('jobs_outcome_check');
    });
  });

  describe(JobStatsRepository.name, () => {
    const lastWeek = () => ({ from: Date.now() - 7 * 24 * HOUR_MS, to: Date.now() + HOUR_MS });
    const read = () => stats.read(accountId, lastWeek(), 'hour');
    /** The counts without the end of the range, which is now. */
    const readCounts = async (bucket: StatsBucket = 'hour') => {
      const { countedUntilMs: _, ...answer } = await stats.read(accountId, lastWeek(), bucket);
      return answer;
    };
    const staleHours = async (): Promise<number> => {
      const { rowCount } = await client.query(`SELECT FROM job_hours_stale WHERE account_id = $1`, [
        accountId,
      ]);
      return rowCount ?? 0;
    };

    /** Reads before and after the hours are summed up, by hour and by day: all counts must be the same. */
    const readBothWays = async () => {
      const fromRows = await readCounts();
      const daysFromRows = await readCounts('day');
      await sums.bringUpToDate();
      expect(await staleHours()).toBe(0);
      expect(await readCounts()).toEqual(fromRows);
      expect(await readCounts('day')).toEqual(daysFromRows);
      expect(daysFromRows).toEqual({ ...fromRows, series: expect.anything() });
      return fromRows;
    };

    it('returns zeros for an account without captures', async () => {
      expect(await readCounts()).toEqual({
        counts: {
          total: 0,
          bytes: 0,
          status: { queued: 0, running: 0, succeeded: 0, failed: 0, canceled: 0 },
          source: { sync: 0, job: 0, batch: 0 },
          format: {},
          error_code: {},
          charged: { sync: 0, job: 0, batch: 0 },
        },
        queueMs: null,
        totalMs: null,
        series: [],
      });
    });

    it('splits the counts by status, source, format and error code, whether it reads rows or sums', async () => {
      await addJob({ source: 'sync', format: 'pdf', total_bytes: 1_000 }, 50);
      await addJob({}, 50);
      await addJob(
        { status: 'failed', error_code: 'capture_timeout', total_bytes: null, total_ms: 60_000 },
        50,
      );
      await addJob({ status: 'canceled', total_bytes: null, total_ms: null, queue_ms: null }, 26);
      await addJob({ status: 'queued', total_bytes: null, total_ms: null, queue_ms: null }, 10);
      await addJob(
        { status: 'running', source: 'batch', total_bytes: null, total_ms: null, queue_ms: null },
        0,
      );
      const { counts, queueMs, totalMs, series } = await readBothWays();
      expect(counts).toEqual({
        total: 6,
        bytes: 1_100,
        status: { queued: 1, running: 1, succeeded: 2, failed: 1, canceled: 1 },
        source: { sync: 1, job: 4, batch: 1 },
        format: { png: 5, pdf: 1 },
        error_code: { capture_timeout: 1 },
        charged: { sync: 1, job: 1, batch: 0 },
      });
      expect(queueMs).toEqual({ p50: 4, p95: 4, p99: 4 });
      expect(totalMs).toEqual({ p50: 8, p95: 8, p99: 8 });
      expect(series.map(({ total }) => total)).toEqual([3, 1, 1, 1]);
      expect(series.map(({ bytes }) => bytes)).toEqual([1_100, 0, 0, 0]);
    });

    it('counts a capture of several files once, under the format of the first, with the bytes of all', async () => {
      const files = [
        {
          name: 'page',
          format: 'markdown',
          key: 'k',
          contentType: 'text/markdown',
          bytes: 400,
          sha256: 'ab',
        },
      ];
      await addJob({ other_files: JSON.stringify(files), total_bytes: 500 }, 30);
      const deleted = { other_files: null, total_bytes: 700, deleted_at: new Date(), format: 'pdf' };
      await addJob(deleted, 30);
      const { counts } = await readBothWays();
      expect(counts).toMatchObject({ total: 2, bytes: 500 + 700, format: { png: 1, pdf: 1 } });
    });

    it('counts captures that the cache answered, but their files and times only where they were made', async () => {
      const id = newId();
      await addJob({ id, origin_id: id, queue_ms: 10, total_ms: 17, total_bytes: 500 }, 30);
      const cached = { origin_id: id, total_bytes: 500, cache_status: 'hit' };
      for (let i = 0; i < 3; i++) await addJob({ ...cached, queue_ms: null, total_ms: null }, 30);
      // Whatever columns a copy has.
      await addJob({ ...cached, queue_ms: 0, total_ms: 0 }, 30);
      const { counts, queueMs, totalMs, series } = await readBothWays();
      expect(counts).toMatchObject({ total: 5, bytes: 500, status: { succeeded: 5 }, format: { png: 5 } });
      expect(counts.charged).toEqual({ sync: 0, job: 1, batch: 0 });
      expect([queueMs, totalMs]).toEqual([
        { p50: 10, p95: 10, p99: 10 },
        { p50: 17, p95: 17, p99: 17 },
      ]);
      expect(series).toMatchObject([{ total: 5, bytes: 500 }]);
    });

    it('has no percentiles where all captures were answered by the cache', async () => {
      await addJob({ origin_id: newId(), queue_ms: null, total_ms: null });
      expect(await readBothWays()).toMatchObject({
        counts: { total: 1, bytes: 0 },
        queueMs: null,
        totalMs: null,
      });
    });

    it('reads the sums of hours that have one', async () => {
      await addJob();
      await sums.bringUpToDate();
      await client.query(`UPDATE job_hours SET captures = 41 WHERE account_id = $1`, [accountId]);
      expect((await read()).counts.total).toBe(41);
    });

    it('reads the sums of full days that have one', async () => {
      await addJob({}, 50);
      await sums.bringUpToDate();
      await client.query(`UPDATE job_days SET captures = 41 WHERE account_id = $1`, [accountId]);
      expect((await readCounts('day')).counts.total).toBe(41);
    });

    it('reads at most 50,000 rows without a sum, and reports up to when it has counted', async () => {
      const begin = Date.now() - 30 * HOUR_MS;
      await client.query(`ALTER TABLE jobs DISABLE TRIGGER jobs_added_late`);
      await client.query(`DELETE FROM job_hours`);
      await client.query(
        `UPDATE job_hours_summed SET until = date_trunc('day', now() - interval '3 days', 'UTC')`,
      );
      await client.query(
        `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, created_at)
         SELECT gen_random_uuid(), $1, 'job', 'succeeded', 'png', '{}', 1, 'ever', $2::timestamptz + n * interval '1 ms'
           FROM generate_series(1, $3) AS n`,
        [accountId, new Date(begin), MAX_ROWS_READ + 10],
      );
      await client.query(`ALTER TABLE jobs ENABLE TRIGGER jobs_added_late`);
      let countedUntilMs = 0;
      // An answer that takes three seconds, as on a busy machine, is read again with fewer rows.
      await eventually('the rows are read in time', async () => {
        const answer = await read();
        ({ countedUntilMs } = answer);
        return answer.counts.total === MAX_ROWS_READ;
      });
      expect(countedUntilMs).toBe(begin + MAX_ROWS_READ + 1);
      await sums.bringUpToDate();
      const range = lastWeek();
      const summed = await stats.read(accountId, range, 'day');
      expect(summed.counts.total).toBe(MAX_ROWS_READ + 10);
      expect(summed.countedUntilMs).toBe(range.to);
    });

    it('reads fewer rows when that takes too long, and reports up to when it has counted', async () => {
      const begin = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
      await client.query(
        `UPDATE job_hours_summed SET until = date_trunc('day', now() - interval '3 days', 'UTC')`,
      );
      await client.query(`ALTER TABLE jobs DISABLE TRIGGER jobs_added_late`);
      await client.query(`DELETE FROM job_hours`);
      await client.query(
        `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, created_at)
         SELECT gen_random_uuid(), $1, 'job', 'succeeded', 'png', '{}', 1, 'ever', $2::timestamptz + n * interval '1 ms'
           FROM generate_series(1, $3) AS n`,
        [accountId, new Date(begin), FEW_ROWS_READ + 10],
      );
      await client.query(`ALTER TABLE jobs ENABLE TRIGGER jobs_added_late`);
      await using holder = await client.session();
      const [{ pid } = { pid: 0 }] = (await holder.query('SELECT pg_backend_pid() AS pid')).rows;
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE');
      const reading = stats.read(accountId, lastWeek(), 'day');
      const waiters = new Set<number>();
      await eventually('the second read waits', async () => {
        const { rows } = await client.query<{ started: string }>(
          `SELECT extract(epoch FROM xact_start)::text AS started FROM pg_stat_activity
            WHERE $1 = ANY(pg_blocking_pids(pid))`,
          [pid],
        );
        for (const { started } of rows) waiters.add(Number(started));
        return waiters.size === 2;
      });
      await holder.query('ROLLBACK');
      const { counts, countedUntilMs } = await reading;
      expect([counts.total, countedUntilMs]).toEqual([FEW_ROWS_READ, begin + FEW_ROWS_READ + 1]);
      expect((await stats.read(accountId, lastWeek(), 'day')).counts.total).toBe(FEW_ROWS_READ + 10);
      await sums.bringUpToDate();
    });

    it('counts the incomplete hours of a range to the millisecond', async () => {
      const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 10 * HOUR_MS;
      for (const at of [hour - 1, hour, hour + 1, hour + HOUR_MS, hour + HOUR_MS + 1]) {
        await addJob({ created_at: new Date(at) });
      }
      await sums.bringUpToDate();
      const totalOf = async (from: number, to: number) =>
        (await stats.read(accountId, { from, to }, 'day')).counts.total;
      expect(await totalOf(hour, hour + HOUR_MS)).toBe(2);
      expect(await totalOf(hour - 1, hour + HOUR_MS + 1)).toBe(4);
      expect(await totalOf(hour + 1, hour + 2 * HOUR_MS)).toBe(3);
      expect(await totalOf(hour + 2, hour + 3)).toBe(0);
    });

    it('counts a job that finishes after its hour was summed up', async () => {
      await addJob();
      const late = await addJob({ status: 'running', queue_ms: null, total_ms: null, total_bytes: null });
      await sums.bringUpToDate();
      await client.query(
        `UPDATE jobs SET status = 'succeeded', total_bytes = 7, queue_ms = 4, total_ms = 8 WHERE id = $1`,
        [late],
      );
      expect(await staleHours()).toBe(1);
      const { counts } = await readBothWays();
      expect(counts).toMatchObject({ total: 2, bytes: 107, status: { succeeded: 2, running: 0 } });
    });

    it('keeps an hour stale until its last job has finished', async () => {
      const [first, second] = [await addJob({ status: 'queued' }), await addJob({ status: 'queued' })];
      await sums.bringUpToDate();
      await client.query(`UPDATE jobs SET status = 'canceled' WHERE id = $1`, [first]);
      await sums.bringUpToDate();
      expect(await staleHours()).toBe(1);
      expect((await read()).counts.status).toMatchObject({ queued: 1, canceled: 1 });
      await client.query(`UPDATE jobs SET status = 'failed' WHERE id = $1`, [second]);
      expect((await readBothWays()).counts.status).toMatchObject({ queued: 0, canceled: 1, failed: 1 });
    });

    it('sums up the hour of one account again without losing what another one did in that hour', async () => {
      const late = await addJob({ status: 'running' });
      const other = await client.addAccount();
      await addJob({ account_id: other });
      await sums.bringUpToDate();
      await client.query(`UPDATE jobs SET status = 'succeeded' WHERE id = $1`, [late]);
      await sums.bringUpToDate();
      accountId = other;
      expect((await readBothWays()).counts.total).toBe(1);
    });

    it('no longer counts a job that was deleted', async () => {
      const id = await addJob();
      await addJob();
      await sums.bringUpToDate();
      await client.query(`DELETE FROM jobs WHERE id = $1`, [id]);
      expect((await readBothWays()).counts.total).toBe(1);
    });

    it('counts a job that is being finished while its hour is summed up', async () => {
      const late = await addJob({ status: 'running' });
      await using other = await client.session();
      await sums.bringUpToDate();
      await other.query('BEGIN');
      await other.query(`UPDATE jobs SET status = 'succeeded' WHERE id = $1`, [late]);
      await sums.bringUpToDate();
      expect((await read()).counts.status).toMatchObject({ running: 1, succeeded: 0 });
      await other.query('COMMIT');
      expect((await read()).counts.status).toMatchObject({ running: 0, succeeded: 1 });
      expect((await readBothWays()).counts.total).toBe(1);
    });

    it('advances over the hours since it last ran', async () => {
      const thisHour = `date_trunc('hour', now(), 'UTC')`;
      await client.query(`DELETE FROM job_hours`);
      await client.query(`UPDATE job_hours_summed SET until = ${thisHour} - interval '20 days'`);
      await addJob({}, 24 * 6);
      await addJob({}, 1);
      await readBothWays();
      const { rows } = await client.query<{ summed: boolean; hours: number }>(
        `SELECT until = ${thisHour} AS summed,
                (SELECT count(DISTINCT hour)::int FROM job_hours WHERE account_id = $1) AS hours
           FROM job_hours_summed`,
        [accountId],
      );
      expect(rows).toEqual([{ summed: true, hours: 2 }]);
    });

    it('stays exact while many sum up, finish and delete at once', async () => {
      const ids = [];
      for (let i = 0; i < 40; i++) ids.push(await addJob({ status: 'running' }, 3 + (i % 4)));
      await Promise.all([
        ...ids.map((id, i) =>
          client.query(
            i % 5 === 0
              ? `DELETE FROM jobs WHERE id = $1`
              : `UPDATE jobs SET status = 'succeeded' WHERE id = $1`,
            [id],
          ),
        ),
        ...Array.from({ length: 8 }, () => sums.bringUpToDate()),
        ...Array.from({ length: 8 }, () => read()),
      ]);
      expect((await readBothWays()).counts).toMatchObject({ total: 32, bytes: 3_200 });
    });
  });
});
