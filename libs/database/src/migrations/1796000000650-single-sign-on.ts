import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the person for whom single sign-on made a key; a person has one key of each account. */
export class SingleSignOn1796000000650 implements MigrationInterface {
  name = 'SingleSignOn1796000000650';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
  ALTER TABLE api_keys ADD COLUMN person text;
  CREATE UNIQUE INDEX api_keys_person ON api_keys (person, account_id) WHERE person IS NOT NULL AND revoked_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP COLUMN person`);
  }
}
