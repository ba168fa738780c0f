import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { MIGRATIONS, migrate, revertAll, revertTo } from './index.js';

describe('migrations', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await revertAll(database.url);
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const tables = async (): Promise<string[]> => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = 'public' AND table_name <> 'migrations' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };

  it('leave nothing behind when they are reverted', async () => {
    expect(await tables()).toEqual([]);
  });

  it('run once when ten processes start at the same time', async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, () => migrate(database.url)));
    expect(runs.flat()).toHaveLength(MIGRATIONS.length);
    expect(await tables()).toContain('jobs');
  });

  it('do nothing when there is nothing to do', async () => {
    expect(await migrate(database.url)).toEqual([]);
  });

  it('fill the ledger with earlier successes, and count those without a record', async () => {
    await revertTo(database.url, 'CreateLedger');
    await client.query(
      `INSERT INTO accounts (id, name, allowance, allowance_period, concurrency)
       VALUES ('00000000-0000-7000-8000-000000000001', 'early', 100, 'month', 1)`,
    );
    await client.query(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, finished_at)
       SELECT gen_random_uuid(), accounts.id, 'job', status, 'png', '{}', 1, '2026-11', '2026-11-02T00:00:00Z'
         FROM accounts, unnest(ARRAY['succeeded', 'succeeded', 'failed', 'canceled', 'queued', 'running']) AS status`,
    );
    await client.query(`INSERT INTO usage_counters SELECT id, '2026-11', 9 FROM accounts`);
    await migrate(database.url);
    const { rows: entries } = await client.query(
      `SELECT entry.period, entry.at, job.status FROM usage_ledger entry JOIN jobs job ON job.id = entry.job_id`,
    );
    const entry = { period: '2026-11', at: new Date('2026-11-02T00:00:00Z'), status: 'succeeded' };
    expect(entries).toEqual([entry, entry]);
    const { rows: counters } = await client.query(`SELECT used, folded FROM usage_counters`);
    expect(counters).toEqual([{ used: 9, folded: 9 - 4 }]);
  });

  it('cut the texts of pages that were stored before the limits', async () => {
    await revertTo(database.url, 'BoundTexts');
    const { rows: accounts } = await client.query<{ id: string }>(`SELECT id FROM accounts LIMIT 1`);
    const insert = async (url: string, title: string, error: object | null): Promise<string> => {
      const { rows } = await client.query<{ id: string }>(
        `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, finished_at,
                           final_url, title, error)
         VALUES (gen_random_uuid(), $1, 'job', 'failed', 'png', '{}', 1, '2026-11', now(), $2, $3, $4) RETURNING id`,
        [accounts[0]?.id, url, title, error],
      );
      return rows[0]?.id ?? '';
    };
    const x = (count: number): string => 'x'.repeat(count);
    const faults = Array.from({ length: 20 }, () => ({ detail: x(4_000) }));
    const long = await insert(x(1_900_000), x(10_000_000), { code: 'internal', detail: x(60_000_000) });
    const faulty = await insert(x(8_192), '世'.repeat(1_024), {
      code: 'internal',
      detail: x(300),
      net_error: x(301),
      errors: faults,
    });
    const short = await insert('', '', null);
    await migrate(database.url);
    const stored = async (id: string): Promise<unknown> => {
      const { rows } = await client.query(`SELECT final_url, title, error FROM jobs WHERE id = $1`, [id]);
      return rows[0];
    };
    expect(await stored(long)).toEqual({
      final_url: `${x(8_191)}…`,
      title: `${x(1_023)}…`,
      error: { code: 'internal', detail: `${x(299)}…` },
    });
    expect(await stored(faulty)).toEqual({
      final_url: x(8_192),
      title: '世'.repeat(1_024),
      error: { code: 'internal', detail: x(300), net_error: `${x(299)}…` },
    });
    expect(await stored(short)).toEqual({ final_url: '', title: '', error: null });
    for (const column of ['final_url', 'title']) {
      await expect(
        client.query(`UPDATE jobs SET ${column} = $2 WHERE id = $1`, [short, x(8_193)]),
      ).rejects.toThrow(`jobs_${column}_check`);
    }
    for (const error of [{ detail: x(301) }, { net_error: x(301) }, { errors: faults }]) {
      await expect(client.query(`UPDATE jobs SET error = $2 WHERE id = $1`, [short, error])).rejects.toThrow(
        'jobs_error_check',
      );
    }
  });

  it('rename the mark up to which orphaned files are deleted, and keep where it stands', async () => {
    await revertTo(database.url, 'NameOrphanedFiles');
    const mark = {
      finished_at: new Date('2026-11-02T00:00:00Z'),
      id: '00000000-0000-7000-8000-000000000001',
    };
    await client.query(`UPDATE job_leavings_swept SET finished_at = $1, id = $2`, [
      mark.finished_at,
      mark.id,
    ]);
    await migrate(database.url);
    const { rows } = await client.query(`SELECT finished_at, id FROM job_orphaned_files_swept`);
    expect(rows).toEqual([mark]);
    const { rows: named } = await client.query(
      `SELECT relname FROM pg_class WHERE relname LIKE '%leavings%'
        UNION ALL SELECT conname FROM pg_constraint WHERE conname LIKE '%leavings%'`,
    );
    expect(named).toEqual([]);
  });

  it('add to earlier reports the fields that they lack', async () => {
    await revertTo(database.url, 'KeepOrderOfFields');
    const { rows: added } = await client.query<{ id: string }>(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, readiness, change)
       SELECT gen_random_uuid(), accounts.id, 'job', 'succeeded', 'png', '{}', 1, '2026-11', '{"by": "quiet"}', '{"changed": true}'
         FROM accounts LIMIT 1 RETURNING id`,
    );
    await migrate(database.url);
    const { rows } = await client.query(`SELECT readiness, verdict, change FROM jobs WHERE id = $1`, [
      added[0]?.id,
    ]);
    expect(rows).toEqual([
      {
        readiness: { by: 'quiet', waited_for: [] },
        verdict: null,
        change: { changed: true, failure: null },
      },
    ]);
  });

  it('can be reverted and run again', async () => {
    const before = await tables();
    await revertAll(database.url);
    expect(await tables()).toEqual([]);
    await migrate(database.url);
    expect(await tables()).toEqual(before);
  });
});
