import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns and indexes for the deletion of old files and records, which libs/jobs/src/upkeep does. */
export class ExpireRecords1795000000015 implements MigrationInterface {
  name = 'ExpireRecords1795000000015';

  async up(runner: QueryRunner): Promise<void> {
    // In the order in which records expire.
    await runner.query(`CREATE INDEX jobs_ended ON jobs (finished_at, id) WHERE finished_at IS NOT NULL`);
    // The few jobs whose attempts may have left an orphaned file: none that succeeded at the first attempt.
    await runner.query(`
      CREATE INDEX jobs_leavings ON jobs (finished_at, id)
        WHERE finished_at IS NOT NULL AND attempt > 0 AND (attempt > 1 OR status <> 'succeeded')`);
    // One row: the last of those jobs whose orphaned files are deleted.
    await runner.query(`
      CREATE TABLE job_leavings_swept (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        finished_at timestamptz(3) NOT NULL,
        id uuid NOT NULL
      )`);
    await runner.query(`
      INSERT INTO job_leavings_swept (finished_at, id)
      VALUES ('epoch', '00000000-0000-0000-0000-000000000000')`);
    // Expiry deletes only rows of summed hours and leaves the sums unchanged. After any other deletion the hour is summed
    // again from the remaining rows.
    await createDeletionTrigger(
      runner,
      `AND current_setting('capture.expiring', true) IS DISTINCT FROM 'on'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await createDeletionTrigger(runner, '');
    await runner.query(`DROP TABLE job_leavings_swept`);
    await runner.query(`DROP INDEX jobs_leavings`);
    await runner.query(`DROP INDEX jobs_ended`);
  }
}

async function createDeletionTrigger(runner: QueryRunner, unless: string): Promise<void> {
  await runner.query(`DROP TRIGGER jobs_deleted ON jobs`);
  await runner.query(`
    CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs FOR EACH ROW
    WHEN (OLD.status NOT IN ('queued', 'running') AND OLD.created_at < date_trunc('hour', now(), 'UTC') ${unless})
    EXECUTE FUNCTION mark_job_hour_stale()`);
}
