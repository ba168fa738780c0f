import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the secrets that sign links, and whether the links of a key must expire. */
export class CreateSigningSecrets1795000000079 implements MigrationInterface {
  name = 'CreateSigningSecrets1795000000079';

  async up(runner: QueryRunner): Promise<void> {
    // Encrypted. `previous` still verifies links while it is rotated out; links are signed with `secret`.
    await runner.query(`
      CREATE TABLE signing_secrets (
        key_id text PRIMARY KEY REFERENCES api_keys (id),
        secret bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        previous bytea,
        previous_created_at timestamptz(3),
        CHECK ((previous IS NULL) = (previous_created_at IS NULL))
      )`);
    await runner.query(`ALTER TABLE api_keys ADD COLUMN links_expire boolean NOT NULL DEFAULT true`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP COLUMN links_expire`);
    await runner.query(`DROP TABLE signing_secrets`);
  }
}
