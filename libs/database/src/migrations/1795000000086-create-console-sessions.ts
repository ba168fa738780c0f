import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the keys that each session of the console may use, and the links that log in once. */
export class CreateConsoleSessions1795000000086 implements MigrationInterface {
  name = 'CreateConsoleSessions1795000000086';

  async up(runner: QueryRunner): Promise<void> {
    // Only hashes of the tokens are stored: a copy of the database logs nobody in.
    await runner.query(`
      CREATE TABLE console_session_keys (
        token_sha256 bytea NOT NULL,
        key_id text NOT NULL REFERENCES api_keys (id),
        added_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        PRIMARY KEY (token_sha256, key_id)
      )`);
    await runner.query(`CREATE INDEX console_session_keys_expires_at ON console_session_keys (expires_at)`);
    await runner.query(`
      CREATE TABLE console_log_ins (
        token_sha256 bytea PRIMARY KEY,
        key_id text NOT NULL REFERENCES api_keys (id),
        expires_at timestamptz(3) NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE console_log_ins`);
    await runner.query(`DROP TABLE console_session_keys`);
  }
}
