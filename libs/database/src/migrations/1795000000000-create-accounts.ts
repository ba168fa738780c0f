import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAccounts1795000000000 implements MigrationInterface {
  name = 'CreateAccounts1795000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE accounts (
        id uuid PRIMARY KEY,
        name text NOT NULL UNIQUE,
        allowance integer NOT NULL CHECK (allowance >= 0),
        allowance_period text NOT NULL CHECK (allowance_period IN ('month', 'ever')),
        concurrency integer NOT NULL CHECK (concurrency > 0),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE api_keys (
        id text PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES accounts (id),
        name text NOT NULL,
        secret_sha256 bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        revoked_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX api_keys_account ON api_keys (account_id)`);
    // The used part of an account's allowance in one period. The lock on its row also serialises acceptances of the account.
    await runner.query(`
      CREATE TABLE usage_counters (
        account_id uuid NOT NULL REFERENCES accounts (id),
        period text NOT NULL,
        used integer NOT NULL CHECK (used >= 0),
        PRIMARY KEY (account_id, period)
      )`);
    await runner.query(`
      CREATE TABLE concurrency_slots (
        job_id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES accounts (id),
        held_until timestamptz(3) NOT NULL
      )`);
    await runner.query(
      `CREATE INDEX concurrency_slots_account ON concurrency_slots (account_id, held_until)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE concurrency_slots`);
    await runner.query(`DROP TABLE usage_counters`);
    await runner.query(`DROP TABLE api_keys`);
    await runner.query(`DROP TABLE accounts`);
  }
}
