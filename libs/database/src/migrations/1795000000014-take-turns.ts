import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an account last got slots for waiting jobs: among equal accounts the one that has waited longest is next. */
export class TakeTurns1795000000014 implements MigrationInterface {
  name = 'TakeTurns1795000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts ADD COLUMN served_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts DROP COLUMN served_at`);
  }
}
