import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns of a job for lanes, retries and webhooks; libs/jobs uses them. */
export class DispatchJobs1795000000011 implements MigrationInterface {
  name = 'DispatchJobs1795000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs
        ADD COLUMN dispatched_at timestamptz(3),
        ADD COLUMN failures smallint NOT NULL DEFAULT 0,
        ADD COLUMN losses smallint NOT NULL DEFAULT 0,
        ADD COLUMN webhook_url text,
        ADD COLUMN request_id text`);
    await runner.query(`UPDATE jobs SET dispatched_at = created_at`);
    await runner.query(`DROP INDEX jobs_queued`);
    // Jobs that wait in the database, in the order in which those of an account are dispatched.
    await runner.query(`
      CREATE INDEX jobs_waiting ON jobs (account_id, created_at, id) INCLUDE (host)
        WHERE status = 'queued' AND dispatched_at IS NULL`);
    // Jobs in the queue or at a worker: no more than the workers can take, and the synchronous captures.
    await runner.query(`
      CREATE INDEX jobs_in_flight ON jobs (account_id, host)
        WHERE status IN ('queued', 'running') AND dispatched_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX jobs_in_flight`);
    await runner.query(`DROP INDEX jobs_waiting`);
    await runner.query(`
      ALTER TABLE jobs
        DROP COLUMN dispatched_at, DROP COLUMN failures, DROP COLUMN losses,
        DROP COLUMN webhook_url, DROP COLUMN request_id`);
    await runner.query(`CREATE INDEX jobs_queued ON jobs (created_at) WHERE status = 'queued'`);
  }
}
