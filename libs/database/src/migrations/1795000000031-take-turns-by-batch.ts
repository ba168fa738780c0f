import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes waiting jobs by line: each batch of an account is a line, and its single jobs form another, whose id is that of
 * the account. The lines take turns in libs/jobs/src/dispatch.
 */
export class TakeTurnsByBatch1795000000031 implements MigrationInterface {
  name = 'TakeTurnsByBatch1795000000031';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX jobs_waiting`);
    // In the order in which the jobs of a line are dispatched.
    await runner.query(`
      CREATE INDEX jobs_waiting ON jobs (account_id, coalesce(batch_id, account_id), created_at, batch_row, id)
        WHERE status = 'queued' AND dispatched_at IS NULL`);
    // To skip from a busy host to the next, however many jobs it has. No host is named ''.
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
