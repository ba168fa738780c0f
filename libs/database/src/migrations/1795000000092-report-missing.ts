import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds what the files of a capture lack. Earlier captures do not say it. */
export class ReportMissing1795000000092 implements MigrationInterface {
  name = 'ReportMissing1795000000092';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs ADD COLUMN missing jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs DROP COLUMN missing`);
  }
}
