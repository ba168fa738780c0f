import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds sessions, which log in once for many captures, and what the record of a capture says of its session. */
export class Sessions1796000000300 implements MigrationInterface {
  name = 'Sessions1796000000300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
  CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    name text NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'active', 'expired', 'failed', 'revoked')),
    origins text[] NOT NULL,
    log_in json,
    session_check json,
    keep_alive_s integer NOT NULL,
    expires_in_s integer NOT NULL,
    secrets bytea,
    state bytea,
    generation integer NOT NULL DEFAULT 0,
    failures int2 NOT NULL DEFAULT 0,
    error jsonb,
    log_in_job_id uuid,
    last_job_id uuid,
    checking_until timestamptz(3),
    checked_at timestamptz(3),
    logged_in_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    CHECK (status <> 'revoked' OR (secrets IS NULL AND state IS NULL AND revoked_at IS NOT NULL)),
    CHECK (status <> 'active' OR (state IS NOT NULL AND expires_at IS NOT NULL))
  );
  CREATE UNIQUE INDEX sessions_by_name ON sessions (account_id, name) WHERE status <> 'revoked';
  CREATE INDEX sessions_by_account ON sessions (account_id, created_at DESC, id DESC) WHERE status <> 'revoked';
  CREATE INDEX sessions_expiring ON sessions (expires_at) WHERE status = 'active';
  CREATE INDEX sessions_revoked ON sessions (revoked_at) WHERE status = 'revoked';
  ALTER TABLE jobs ADD COLUMN session json`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs DROP COLUMN session; DROP TABLE sessions`);
  }
}
