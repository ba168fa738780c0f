import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the priority of a job's queue entry. That of a job that is in the queue already is set by the next round. */
export class KeepPriorities1795000000130 implements MigrationInterface {
  name = 'KeepPriorities1795000000130';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs ADD COLUMN priority integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs DROP COLUMN priority`);
  }
}
