import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
  ALTER TABLE api_keys
    ADD COLUMN scopes text[] NOT NULL DEFAULT '{capture,read,links}'
      CHECK (scopes <@ ARRAY['capture', 'read', 'links', 'admin'] AND cardinality(scopes) > 0),
    ADD COLUMN expires_at timestamptz(3),
    ADD COLUMN allowed_hosts text[],
    ADD COLUMN allowed_ips text[],
    ADD COLUMN last_used_on date,
    ADD COLUMN previous_secret_sha256 bytea,
    ADD COLUMN previous_until timestamptz(3),
    ADD CHECK ((previous_secret_sha256 IS NULL) = (previous_until IS NULL));
  ALTER TABLE accounts
    ADD COLUMN paused_at timestamptz(3),
    ADD COLUMN deleting_at timestamptz(3),
    ADD COLUMN max_captures integer CHECK (max_captures >= 0),
    ADD COLUMN max_bytes bigint CHECK (max_bytes >= 0),
    ADD COLUMN max_batches integer CHECK (max_batches >= 0),
    ADD COLUMN max_webhooks integer CHECK (max_webhooks >= 0),
    ADD COLUMN max_sessions integer CHECK (max_sessions >= 0),
    ADD COLUMN max_monitors integer CHECK (max_monitors >= 0);
  -- Keys and what belongs to them are deleted with their account, which is no work of a process that cannot read keys.
  ALTER TABLE api_keys DROP CONSTRAINT api_keys_account_id_fkey,
    ADD CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
  ALTER TABLE console_log_ins DROP CONSTRAINT console_log_ins_key_id_fkey,
    ADD CONSTRAINT console_log_ins_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys (id) ON DELETE CASCADE;
  ALTER TABLE console_session_keys DROP CONSTRAINT console_session_keys_key_id_fkey,
    ADD CONSTRAINT console_session_keys_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys (id) ON DELETE CASCADE;
  ALTER TABLE signing_secrets DROP CONSTRAINT signing_secrets_key_id_fkey,
    ADD CONSTRAINT signing_secrets_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys (id) ON DELETE CASCADE;
  CREATE INDEX accounts_deleting ON accounts (deleting_at) WHERE deleting_at IS NOT NULL;
  CREATE TABLE audit_events (
    id uuid PRIMARY KEY,
    at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
    action text NOT NULL,
    account_id uuid,
    subject_id text NOT NULL,
    actor json NOT NULL,
    before json,
    after json
  );
  CREATE INDEX audit_events_latest ON audit_events (at DESC, id DESC);
  CREATE INDEX audit_events_by_account ON audit_events (account_id, at DESC, id DESC)`;

/**
 * Adds what operators manage over HTTP: scopes and limits of keys, the states and limits of accounts, and the audit trail.
 * Keys that exist may do what they did.
 */
export class Operators1796000000600 implements MigrationInterface {
  name = 'Operators1796000000600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
  DROP TABLE audit_events;
  ALTER TABLE accounts DROP COLUMN paused_at, DROP COLUMN deleting_at, DROP COLUMN max_captures, DROP COLUMN max_bytes,
    DROP COLUMN max_batches, DROP COLUMN max_webhooks, DROP COLUMN max_sessions, DROP COLUMN max_monitors;
  ALTER TABLE api_keys DROP COLUMN scopes, DROP COLUMN expires_at, DROP COLUMN allowed_hosts, DROP COLUMN allowed_ips,
    DROP COLUMN last_used_on, DROP COLUMN previous_secret_sha256, DROP COLUMN previous_until`);
  }
}
