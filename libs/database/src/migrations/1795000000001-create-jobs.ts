import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateJobs1795000000001 implements MigrationInterface {
  name = 'CreateJobs1795000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE jobs (
        id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES accounts (id),
        source text NOT NULL CHECK (source IN ('sync', 'job', 'batch')),
        status text NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'canceled')),
        reference text,
        batch_id uuid,
        batch_row integer,
        url text,
        host text,
        format text NOT NULL,
        options jsonb NOT NULL,
        secrets bytea,
        timeout_ms integer NOT NULL,
        usage_period text NOT NULL,
        attempt smallint NOT NULL DEFAULT 0,
        worker_id text,
        lease_until timestamptz(3),
        final_url text,
        http_status smallint,
        title text,
        width integer,
        height integer,
        page_height integer,
        truncated boolean,
        complete boolean,
        result_key text,
        content_type text,
        bytes integer,
        sha256 text,
        timings jsonb,
        queue_ms integer,
        total_ms integer,
        blocked_requests integer NOT NULL DEFAULT 0,
        failed_requests integer NOT NULL DEFAULT 0,
        error jsonb,
        error_code text,
        cancel_reason text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        started_at timestamptz(3),
        finished_at timestamptz(3),
        expires_at timestamptz(3)
      )`);
    // History: newest first, keyset (created_at, id), with one index for each selective filter.
    await runner.query(`CREATE INDEX jobs_history ON jobs (account_id, created_at DESC, id DESC)`);
    await runner.query(
      `CREATE INDEX jobs_history_status ON jobs (account_id, status, created_at DESC, id DESC) WHERE status <> 'succeeded'`,
    );
    await runner.query(`CREATE INDEX jobs_history_host ON jobs (account_id, host, created_at DESC, id DESC)`);
    await runner.query(
      `CREATE INDEX jobs_history_reference ON jobs (account_id, reference, created_at DESC, id DESC) WHERE reference IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX jobs_batch ON jobs (batch_id, batch_row) WHERE batch_id IS NOT NULL`);
    // The states that upkeep polls.
    await runner.query(`CREATE INDEX jobs_queued ON jobs (created_at) WHERE status = 'queued'`);
    await runner.query(`CREATE INDEX jobs_running ON jobs (lease_until) WHERE status = 'running'`);
    await runner.query(`CREATE INDEX jobs_expiring ON jobs (expires_at) WHERE result_key IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE jobs`);
  }
}
