import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the latest capture with the same options and target whose file still exists. A row enters the index when it succeeds
 * and leaves it when its file expires. `text_hash` shows whether the text of a page changed when only its picture was kept.
 *
 * The index is not built CONCURRENTLY: see FindHistory1795000000060. No capture before the last migration has a key, so that
 * it is empty at first.
 */
export class FindEarlierCaptures1795000000077 implements MigrationInterface {
  name = 'FindEarlierCaptures1795000000077';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs ADD COLUMN text_hash bytea`);
    await runner.query(
      `CREATE INDEX jobs_by_capture_key ON jobs (account_id, capture_key, finished_at DESC)
        WHERE status = 'succeeded' AND capture_key IS NOT NULL AND result_key IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX jobs_by_capture_key`);
    await runner.query(`ALTER TABLE jobs DROP COLUMN text_hash`);
  }
}
