import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CachedJobs, PAGE } from '../../../../test/support/cached-jobs.js';
import { secondsFrom } from '../../../../test/support/seconds-from.js';
import { QueuePositionRepository } from '../job/queue-position.repository.js';
import { DispatcherService } from '../dispatch/dispatcher.service.js';
import { CacheEntryRepository } from './cache-entry.repository.js';

describe('identical jobs that wait', () => {
  let jobs: CachedJobs;

  beforeAll(async () => {
    jobs = await CachedJobs.open();
  });

  afterAll(() => jobs.close());

  beforeEach(() => jobs.useAccount());

  const submit = async (options: object = PAGE): Promise<string> => (await jobs.submit(options)).job.id;
  const follows = async () => new Map((await jobs.rows()).map(({ id, followsId }) => [id, followsId]));
  /** What the cache holds for the page. */
  const entry = async () => {
    const { rows } = await jobs.database.query<{ key: Buffer }>(
      `SELECT cache_key AS key FROM jobs WHERE account_id = $1 AND cache_key IS NOT NULL LIMIT 1`,
      [jobs.accountId],
    );
    return jobs.app
      .get(CacheEntryRepository)
      .find({ accountId: jobs.accountId, key: rows[0]?.key ?? Buffer.alloc(0) });
  };

  it('dispatches the first of identical jobs, and others in the meantime', async () => {
    const first = await submit();
    const same = await submit();
    const other = await submit({ ...PAGE, url: 'https://b.test/' });
    const plain = await submit({ url: PAGE.url });
    expect(await jobs.dispatch()).toEqual([first, other, plain]);
    expect((await follows()).get(same)).toBe(first);
    const late = await submit();
    expect(await jobs.dispatch()).toHaveLength(3);
    expect((await follows()).get(late)).toBe(first);
    expect(await entry()).toEqual({ cached: null, leaderId: first });
  });

  it('keeps followers out of the line, in which only those count that wait for a visit', async () => {
    for (let n = 0; n < 3; n++) await submit();
    await jobs.dispatch();
    const { job, record } = await jobs.submit({ url: 'https://b.test/' });
    const positions = await jobs.app.get(QueuePositionRepository).read([job]);
    expect([record.queue_position, positions.get(job.id)]).toEqual([1, 1]);
  });

  it('answers with the capture that ended last, in whatever order their ends are stored', async () => {
    const last = await jobs.keep();
    // As if it had ended a minute later than the next one, whose transaction waited for its own.
    await jobs.age(-60);
    const earlier = await submit({ ...PAGE, force: true });
    await jobs.dispatch();
    await jobs.succeed(earlier);
    expect((await entry()).cached?.capture.id).toBe(last);
    await jobs.age(120);
    const next = await submit({ ...PAGE, force: true });
    await jobs.dispatch();
    await jobs.succeed(next);
    expect((await entry()).cached?.capture.id).toBe(next);
  });

  it('does not share a visit between accounts, or for another cache_key', async () => {
    const first = await submit();
    const keyed = await submit({ ...PAGE, cache_key: 'v2' });
    expect(await jobs.dispatch()).toEqual([first, keyed]);
    jobs.accountId = await jobs.database.addAccount({ allowance: 5, concurrency: 5 });
    const foreign = await submit();
    expect(await jobs.dispatch()).toEqual([foreign]);
  });

  it('shares the visit of a job whose TTL differs', async () => {
    const first = await submit();
    const shorter = await submit({ ...PAGE, cache_ttl_s: 1, expires_in_s: 60, reference: 'b' });
    expect(await jobs.dispatch()).toEqual([first]);
    expect((await follows()).get(shorter)).toBe(first);
  });

  it('has a job follow a capture that became fresh while it waited, and not an older one', async () => {
    const first = await submit();
    await jobs.dispatch();
    const [long, short] = [await submit(), await submit({ ...PAGE, cache_ttl_s: 5 })];
    await jobs.succeed(first);
    await jobs.age(60);
    expect(await jobs.dispatch()).toEqual([short]);
    expect(await follows()).toEqual(
      new Map([
        [first, null],
        [long, first],
        [short, null],
      ]),
    );
    await jobs.settle();
    expect((await jobs.rows()).find(({ id }) => id === long)).toMatchObject({
      status: 'succeeded',
      cacheStatus: 'hit',
      cacheAgeS: secondsFrom(60),
    });
  });

  it('has a forced job make its own visit, which leads where no other one does', async () => {
    const forced = await submit({ ...PAGE, force: true });
    const second = await submit({ ...PAGE, force: true });
    const follower = await submit();
    expect(await jobs.dispatch()).toEqual([forced, second]);
    expect((await follows()).get(follower)).toBe(forced);
    await jobs.succeed(forced);
    await jobs.settle();
    const third = await submit({ ...PAGE, force: true });
    expect(await jobs.dispatch()).toEqual([second, third]);
    expect(await entry()).toMatchObject({ cached: { capture: { id: forced } }, leaderId: third });
    expect((await jobs.rows()).map(({ cacheStatus }) => cacheStatus)).toEqual([
      'bypass',
      'bypass',
      'coalesced',
      'bypass',
    ]);
    await jobs.succeed(second);
    await jobs.succeed(third);
    expect(await jobs.usage()).toEqual({ used: 3, charged: 3 });
  });

  it('dispatches forced jobs in one round, beside another one like them that leads', async () => {
    const ids = [
      await submit(),
      await submit({ ...PAGE, force: true }),
      await submit({ ...PAGE, force: true }),
    ];
    await jobs.app.get(DispatcherService).round();
    const { rows } = await jobs.database.query<{ id: string }>(
      `SELECT id FROM jobs WHERE account_id = $1 AND dispatched_at IS NOT NULL ORDER BY created_at, id`,
      [jobs.accountId],
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  it('shows no capture whose files have expired, and makes another one', async () => {
    const first = await jobs.keep();
    expect((await entry()).cached?.capture.id).toBe(first);
    await jobs.database.query(`UPDATE jobs SET expires_at = clock_timestamp() WHERE id = $1`, [first]);
    expect(await entry()).toEqual({ cached: null, leaderId: null });
    const next = await submit();
    expect(await jobs.dispatch()).toEqual([next]);
  });

  it('keeps a capture for as long as before, although later jobs lock its entry for an hour', async () => {
    await jobs.keep();
    const kept = await jobs.database.query(
      `UPDATE cache_entries SET kept_until = now() + interval '2 days' WHERE account_id = $1 RETURNING kept_until`,
      [jobs.accountId],
    );
    await submit({ ...PAGE, force: true });
    await jobs.dispatch();
    const later = await jobs.database.query(`SELECT kept_until FROM cache_entries WHERE account_id = $1`, [
      jobs.accountId,
    ]);
    expect(later.rows).toEqual(kept.rows);
  });

  it('leaves a forced job that waits for a slot to its own visit', async () => {
    await jobs.database.query(`UPDATE accounts SET concurrency = 1 WHERE id = $1`, [jobs.accountId]);
    const [leader, forced, follower] = [
      await submit(),
      await submit({ ...PAGE, force: true }),
      await submit(),
    ];
    expect(await jobs.dispatch()).toEqual([leader]);
    expect((await follows()).get(follower)).toBe(leader);
    await jobs.succeed(leader);
    expect(await jobs.dispatch()).toEqual([forced]);
  });

  it('makes no job the leader that gets no slot', async () => {
    await jobs.database.query(`UPDATE accounts SET concurrency = 1 WHERE id = $1`, [jobs.accountId]);
    const [first, other] = [await submit(), await submit({ ...PAGE, url: 'https://b.test/' })];
    const same = await submit({ ...PAGE, url: 'https://b.test/' });
    expect(await jobs.dispatch()).toEqual([first]);
    expect((await follows()).get(same)).toBeNull();
    await jobs.succeed(first);
    expect(await jobs.dispatch()).toEqual([other]);
    expect((await follows()).get(same)).toBe(other);
  });

  it('takes thousands of identical jobs out of the line in a few rounds, so that those behind them start', async () => {
    await jobs.database.query(
      `INSERT INTO jobs (id, account_id, source, status, url, host, format, options, timeout_ms, usage_period, cache_key,
                         created_at)
       SELECT gen_random_uuid(), $1, 'job', 'queued', 'https://a.test/', 'a.test', 'png', '{"cache_ttl_s": 600}', 60000,
              '2026-11', CASE WHEN n <= 5000 THEN sha256('one') ELSE sha256(((n - 1) % 300 + 1)::text::bytea) END, now() + n * interval '1 ms'
         FROM generate_series(1, 5600) AS n`,
      [jobs.accountId],
    );
    const behind = await jobs.database.query<{ id: string }>(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, created_at)
       VALUES (gen_random_uuid(), $1, 'job', 'queued', 'png', '{}', 60000, '2026-11', now() + interval '1 hour') RETURNING id`,
      [jobs.accountId],
    );
    const last = behind.rows[0]?.id ?? '';
    // Keys of the second half: 300 captures that are fresh.
    await jobs.database.query(
      `WITH kept AS (
         INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, cache_key, result_key,
                           origin_id, finished_at, expires_at)
         SELECT id, $1, 'job', 'succeeded', 'png', '{}', 60000, '2026-11', sha256(n::text::bytea), 'k', id, now(), now() + interval '1 d'
           FROM (SELECT n, gen_random_uuid() AS id FROM generate_series(1, 300) AS n) AS made RETURNING *)
       INSERT INTO cache_entries (account_id, key, capture_id, captured_at, kept_until)
       SELECT account_id, cache_key, id, finished_at, expires_at FROM kept`,
      [jobs.accountId],
    );
    let rounds = 0;
    const waits = async () => {
      const { rows } = await jobs.database.query<{ waits: boolean }>(
        `SELECT dispatched_at IS NULL AS waits FROM jobs WHERE id = $1`,
        [last],
      );
      return rows[0]?.waits;
    };
    for (; (await waits()) === true; rounds++) await jobs.app.get(DispatcherService).round();
    expect(rounds).toBeLessThan(10);
    const { rows } = await jobs.database.query(
      `SELECT count(*) FILTER (WHERE follows_id IS NOT NULL)::int AS following,
              count(*) FILTER (WHERE dispatched_at IS NOT NULL)::int AS dispatched FROM jobs WHERE account_id = $1`,
      [jobs.accountId],
    );
    expect(rows).toEqual([{ following: 5_599, dispatched: 2 }]);
  });
});
