import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds what a capture has besides its first file: other files, what its page says about itself, and what changed since an
 * earlier capture. Columns whose value nothing searches are `json`, which keeps the order of fields. Earlier captures have
 * none of it. `capture_key` identifies the target and the options.
 */
export class KeepSeveralFiles1795000000074 implements MigrationInterface {
  name = 'KeepSeveralFiles1795000000074';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs
        ADD COLUMN content text,
        ADD COLUMN other_extensions text[],
        ADD COLUMN other_files json,
        ADD COLUMN total_bytes integer,
        ADD COLUMN page json,
        ADD COLUMN change json,
        ADD COLUMN changed boolean,
        ADD COLUMN capture_key bytea`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs
        DROP COLUMN content,
        DROP COLUMN other_extensions,
        DROP COLUMN other_files,
        DROP COLUMN total_bytes,
        DROP COLUMN page,
        DROP COLUMN change,
        DROP COLUMN changed,
        DROP COLUMN capture_key`);
  }
}
