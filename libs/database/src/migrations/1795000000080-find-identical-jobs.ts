import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the jobs that wait with the same key of the cache, which the dispatcher has follow one of them all at once. */
export class FindIdenticalJobs1795000000080 implements MigrationInterface {
  name = 'FindIdenticalJobs1795000000080';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX jobs_waiting_by_cache_key ON jobs (account_id, cache_key, id)
       WHERE status = 'queued' AND dispatched_at IS NULL AND follows_id IS NULL AND cache_key IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX jobs_waiting_by_cache_key`);
  }
}
