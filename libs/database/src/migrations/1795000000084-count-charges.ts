import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts the captures of each hour that were charged, by their source, and lists the batches of an account by their time.
 * The hours that are summed up already get the new measure from the records that are still there.
 */
export class CountCharges1795000000084 implements MigrationInterface {
  name = 'CountCharges1795000000084';

  async up(runner: QueryRunner): Promise<void> {
    await permit(runner, ['status', 'source', 'format', 'error_code', 'charged', 'queue_ms', 'total_ms']);
    // The lock of ALTER TABLE keeps other processes from summing up. The trigger of the table adds the hours to their days.
    await runner.query(`
      INSERT INTO job_hours (account_id, hour, measure, value, captures, bytes)
      SELECT account_id, date_trunc('hour', created_at, 'UTC'), 'charged', source, count(*),
             sum(coalesce(total_bytes, bytes, 0))
        FROM jobs
       WHERE status = 'succeeded' AND coalesce(origin_id, id) = id
         AND created_at < (SELECT until FROM job_hours_summed)
       GROUP BY 1, 2, 4`);
    await runner.query(`CREATE INDEX batches_history ON batches (account_id, created_at DESC, id DESC)`);
    await runner.query(
      `CREATE INDEX batches_by_status ON batches (account_id, status, created_at DESC, id DESC)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX batches_by_status`);
    await runner.query(`DROP INDEX batches_history`);
    await runner.query(`DELETE FROM job_hours WHERE measure = 'charged'`);
    await runner.query(`DELETE FROM job_days WHERE measure = 'charged'`);
    await permit(runner, ['status', 'source', 'format', 'error_code', 'queue_ms', 'total_ms']);
  }
}

async function permit(runner: QueryRunner, measures: readonly string[]): Promise<void> {
  const list = measures.map((measure) => `'${measure}'`).join(', ');
  await runner.query(`
    ALTER TABLE job_hours DROP CONSTRAINT job_hours_measure_check,
      ADD CONSTRAINT job_hours_measure_check CHECK (measure IN (${list}))`);
}
