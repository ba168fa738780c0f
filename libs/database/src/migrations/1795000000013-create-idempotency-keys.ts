import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests that were accepted with an Idempotency-Key, and their responses. */
export class CreateIdempotencyKeys1795000000013 implements MigrationInterface {
  name = 'CreateIdempotencyKeys1795000000013';

  async up(runner: QueryRunner): Promise<void> {
    // `subject_id`: the accepted job or batch. `answer`: the first response, byte for byte (so not jsonb), where it cannot be
    // rebuilt from the rows.
    await runner.query(`
      CREATE TABLE idempotency_keys (
        account_id uuid NOT NULL REFERENCES accounts (id),
        key text NOT NULL,
        fingerprint bytea NOT NULL,
        subject_id uuid NOT NULL,
        answer json,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, key)
      )`);
    await runner.query(`CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE idempotency_keys`);
  }
}
