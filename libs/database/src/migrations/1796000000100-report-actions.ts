import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the outcome of the steps that a capture performed on its page. Earlier captures performed none. */
export class ReportActions1796000000100 implements MigrationInterface {
  name = 'ReportActions1796000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs ADD COLUMN actions json`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs DROP COLUMN actions`);
  }
}
