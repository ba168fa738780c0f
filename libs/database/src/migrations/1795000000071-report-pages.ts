import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds what a visit reports about its page. Earlier captures have none of it. */
export class ReportPages1795000000071 implements MigrationInterface {
  name = 'ReportPages1795000000071';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs
        ADD COLUMN blocked jsonb,
        ADD COLUMN consent jsonb,
        ADD COLUMN readiness jsonb,
        ADD COLUMN verdict jsonb,
        ADD COLUMN stable jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs
        DROP COLUMN blocked,
        DROP COLUMN consent,
        DROP COLUMN readiness,
        DROP COLUMN verdict,
        DROP COLUMN stable`);
  }
}
