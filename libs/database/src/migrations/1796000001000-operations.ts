import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds what operators see of workers and do with them, and the history of health. A worker of an earlier version says nothing of
 * its state, and takes captures whatever an operator wishes.
 */
export class Operations1796000001000 implements MigrationInterface {
  name = 'Operations1796000001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
  ALTER TABLE workers
    ADD COLUMN drain boolean NOT NULL DEFAULT false,
    ADD COLUMN state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'draining', 'drained')),
    ADD COLUMN version text,
    ADD COLUMN outages text[] NOT NULL DEFAULT '{}';
  CREATE TABLE health_changes (
    dependency text NOT NULL,
    at timestamptz(3) NOT NULL,
    status text NOT NULL CHECK (status IN ('ok', 'down')),
    error text,
    PRIMARY KEY (dependency, at)
  )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
  DROP TABLE health_changes;
  ALTER TABLE workers DROP COLUMN drain, DROP COLUMN state, DROP COLUMN version, DROP COLUMN outages`);
  }
}
