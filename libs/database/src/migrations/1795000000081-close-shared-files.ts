import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keeps files that a caller deleted from being shown by further records (`closed_at`), although others still show them, and
 * finds the record that shows shared files for longest without reading all of them.
 */
export class CloseSharedFiles1795000000081 implements MigrationInterface {
  name = 'CloseSharedFiles1795000000081';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE shared_files ADD COLUMN closed_at timestamptz(3)`);
    await indexJobs(runner, 'origin_id, expires_at');
  }

  async down(runner: QueryRunner): Promise<void> {
    await indexJobs(runner, 'origin_id');
    await runner.query(`ALTER TABLE shared_files DROP COLUMN closed_at`);
  }
}

async function indexJobs(runner: QueryRunner, columns: string): Promise<void> {
  await runner.query(`DROP INDEX jobs_of_shared_files`);
  await runner.query(
    `CREATE INDEX jobs_of_shared_files ON jobs (${columns}) WHERE origin_id IS NOT NULL AND result_key IS NOT NULL`,
  );
}
