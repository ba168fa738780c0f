import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the redirects that led to a page. Earlier captures do not say them. */
export class ReportRedirects1795000000161 implements MigrationInterface {
  name = 'ReportRedirects1795000000161';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs ADD COLUMN redirects json`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs DROP COLUMN redirects`);
  }
}
