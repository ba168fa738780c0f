import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A deleted capture keeps its row, without the texts of the caller and the page: the row still counts in the statistics and
 * in its batch, and names the files of its attempts. `record_deleted` also hides it from the caller.
 */
export class DeleteCaptures1795000000050 implements MigrationInterface {
  name = 'DeleteCaptures1795000000050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs
        ADD COLUMN deleted_at timestamptz(3),
        ADD COLUMN record_deleted boolean NOT NULL DEFAULT false`);
    // Responses stored for the keys of a deleted capture are deleted with it.
    await runner.query(`CREATE INDEX idempotency_keys_subject ON idempotency_keys (subject_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX idempotency_keys_subject`);
    await runner.query(`ALTER TABLE jobs DROP COLUMN deleted_at, DROP COLUMN record_deleted`);
  }
}
