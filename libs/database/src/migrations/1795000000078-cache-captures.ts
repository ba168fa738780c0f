import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keeps captures for later requests (docs/cache.md).
 *
 * `cache_entries` names the capture that answers for a key, and the job that is making the next one. `shared_files` owns the
 * files of a capture that other records may show as well: a row of `jobs` with an `origin_id` shows such files, and does not
 * delete them. A job that `follows` another waits for its files instead of making its own, so that it leaves the indexes of
 * waiting jobs.
 */
export class CacheCaptures1795000000078 implements MigrationInterface {
  name = 'CacheCaptures1795000000078';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs
        ADD COLUMN cache_key bytea,
        ADD COLUMN cache_status text CHECK (cache_status IN ('hit', 'stale', 'coalesced', 'bypass')),
        ADD COLUMN cache_age_s integer,
        ADD COLUMN origin_id uuid,
        ADD COLUMN follows_id uuid`);
    await runner.query(`
      CREATE TABLE cache_entries (
        account_id uuid NOT NULL REFERENCES accounts (id),
        key bytea NOT NULL,
        capture_id uuid,
        captured_at timestamptz(3),
        kept_until timestamptz(3) NOT NULL,
        leader_id uuid,
        revalidated_at timestamptz(3),
        PRIMARY KEY (account_id, key),
        CHECK ((capture_id IS NULL) = (captured_at IS NULL))
      )`);
    await runner.query(`CREATE INDEX cache_entries_expiring ON cache_entries (kept_until)`);
    await runner.query(`CREATE INDEX cache_entries_of_capture ON cache_entries (capture_id)`);
    await runner.query(`
      CREATE TABLE shared_files (
        id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES accounts (id),
        keys text[] NOT NULL,
        check_at timestamptz(3) NOT NULL,
        doomed_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX shared_files_due ON shared_files (check_at)`);
    await runner.query(
      `CREATE INDEX jobs_of_shared_files ON jobs (origin_id) WHERE origin_id IS NOT NULL AND result_key IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX jobs_following ON jobs (follows_id, id) WHERE follows_id IS NOT NULL`);
    await indexWaiting(runner, 'AND follows_id IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await indexWaiting(runner, '');
    await runner.query(`DROP INDEX jobs_following, jobs_of_shared_files`);
    await runner.query(`DROP TABLE shared_files, cache_entries`);
    await runner.query(`
      ALTER TABLE jobs
        DROP COLUMN cache_key, DROP COLUMN cache_status, DROP COLUMN cache_age_s,
        DROP COLUMN origin_id, DROP COLUMN follows_id`);
  }
}

/** The indexes of TakeTurnsByBatch1795000000031, with another condition. */
async function indexWaiting(runner: QueryRunner, condition: string): Promise<void> {
  const waiting = `WHERE status = 'queued' AND dispatched_at IS NULL ${condition}`;
  await runner.query(`DROP INDEX jobs_waiting, jobs_waiting_by_host`);
  await runner.query(`
    CREATE INDEX jobs_waiting ON jobs (account_id, coalesce(batch_id, account_id), created_at, batch_row, id) ${waiting}`);
  await runner.query(`
    CREATE INDEX jobs_waiting_by_host
      ON jobs (account_id, coalesce(batch_id, account_id), coalesce(host, ''), created_at, batch_row, id) ${waiting}`);
}
