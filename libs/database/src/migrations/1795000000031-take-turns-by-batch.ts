import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Waiting jobs by line: each batch of an account is a line, and its single jobs form another, which has the id of the
 * account. libs/jobs/src/dispatch picks jobs from the lines in turn.
 */
export class TakeTurnsByBatch1795000000031 implements MigrationInterface {
  name = 'TakeTurnsByBatch1795000000031';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX jobs_waiting`);
    // In the order in which the jobs of a line are dispatched.
    await runner.query(`
      CREATE INDEX jobs_waiting ON jobs (account_id, coalesce(batch_id, account_id), created_at, batch_row, id)
        WHERE status = 'queued' AND dispatched_at IS NULL`);
    // Skips the jobs of busy hosts, however many there are. No host is named ''.
    await runner.query(`
      CREATE INDEX jobs_waiting_by_host
        ON jobs (account_id, coalesce(batch_id, account_id), coalesce(host, ''), created_at, batch_row, id)
        WHERE status = 'queued' AND dispatched_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX jobs_waiting_by_host`);
    await runner.query(`DROP INDEX jobs_waiting`);
    await runner.query(`
      CREATE INDEX jobs_waiting ON jobs (account_id, created_at, id) INCLUDE (host)
        WHERE status = 'queued' AND dispatched_at IS NULL`);
  }
}
