import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the attempts that only found that the session of the capture was not ready, which its record leaves out. */
export class JobWaits1796000000800 implements MigrationInterface {
  name = 'JobWaits1796000000800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs ADD COLUMN waits int2 NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs DROP COLUMN waits`);
  }
}
