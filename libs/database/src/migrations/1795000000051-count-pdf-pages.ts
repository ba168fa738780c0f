import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The number of pages of a PDF. Older records have none. */
export class CountPdfPages1795000000051 implements MigrationInterface {
  name = 'CountPdfPages1795000000051';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs ADD COLUMN pages integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs DROP COLUMN pages`);
  }
}
