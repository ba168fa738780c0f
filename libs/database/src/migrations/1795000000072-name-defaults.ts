import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the names of the options that the operator's defaults set. Earlier captures have none. */
export class NameDefaults1795000000072 implements MigrationInterface {
  name = 'NameDefaults1795000000072';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs ADD COLUMN default_names text[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs DROP COLUMN default_names`);
  }
}
