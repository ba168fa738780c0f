import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
  CREATE TABLE monitors (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    name text NOT NULL,
    cron text,
    timezone text,
    every_s integer,
    is_batch boolean NOT NULL,
    host text,
    alert json NOT NULL,
    keep json NOT NULL,
    pause_after_failures integer,
    webhook_url text,
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused')),
    pause_reason text CHECK (pause_reason IN ('request', 'failures', 'allowance')),
    next_due_at timestamptz(3),
    next_run_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
    updated_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
    CHECK ((cron IS NULL) <> (every_s IS NULL)),
    CHECK ((cron IS NULL) = (timezone IS NULL)),
    CHECK ((state = 'paused') = (pause_reason IS NOT NULL))
  );
  CREATE INDEX monitors_history ON monitors (account_id, created_at DESC, id DESC);
  CREATE INDEX monitors_due ON monitors (next_run_at) WHERE state = 'active' AND next_run_at IS NOT NULL;

  -- secrets are bound to id. baseline_id: the capture that the next one is compared with.
  CREATE TABLE monitor_pages (
    monitor_id uuid NOT NULL REFERENCES monitors (id) ON DELETE CASCADE,
    page integer NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL REFERENCES accounts (id),
    options json NOT NULL,
    default_names text[],
    secrets bytea,
    baseline_id uuid,
    failures integer NOT NULL DEFAULT 0,
    PRIMARY KEY (monitor_id, page)
  );

  -- The unique index is what makes an instant run once: the check and its job are inserted by one transaction.
  CREATE TABLE monitor_checks (
    id uuid PRIMARY KEY,
    monitor_id uuid NOT NULL REFERENCES monitors (id) ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts (id),
    page integer NOT NULL,
    url text,
    due_at timestamptz(3) NOT NULL,
    trigger text NOT NULL CHECK (trigger IN ('schedule', 'request')),
    missed integer NOT NULL DEFAULT 0,
    capture_ids uuid[] NOT NULL DEFAULT '{}',
    job_id uuid,
    outcome text CHECK (outcome IN ('same', 'changed', 'failed', 'ignored', 'skipped')),
    reason text,
    change json,
    error json,
    files_kept boolean NOT NULL DEFAULT true,
    created_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
    finished_at timestamptz(3),
    CHECK ((outcome IS NULL) = (finished_at IS NULL))
  );
  CREATE UNIQUE INDEX monitor_checks_instant ON monitor_checks (monitor_id, due_at, page);
  CREATE INDEX monitor_checks_by_outcome ON monitor_checks (monitor_id, page, outcome, due_at DESC) WHERE files_kept;
  CREATE INDEX monitor_checks_ended ON monitor_checks (finished_at) WHERE finished_at IS NOT NULL;
  CREATE INDEX monitor_checks_open ON monitor_checks (job_id) WHERE outcome IS NULL;
  CREATE INDEX monitor_checks_unfinished ON monitor_checks (monitor_id) WHERE outcome IS NULL;
`;

/** Adds monitors, their pages and their checks. */
export class Monitors1796000000400 implements MigrationInterface {
  name = 'Monitors1796000000400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE monitor_checks, monitor_pages, monitors`);
  }
}
