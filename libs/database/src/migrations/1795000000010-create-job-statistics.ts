import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Hourly statistics, derived from `jobs`; libs/jobs/src/history maintains and reads them. */
export class CreateJobStatistics1795000000010 implements MigrationInterface {
  name = 'CreateJobStatistics1795000000010';

  async up(runner: QueryRunner): Promise<void> {
    // The number of captures of the hour with this value of this measure.
    await runner.query(`
      CREATE TABLE job_hours (
        account_id uuid NOT NULL REFERENCES accounts (id),
        hour timestamptz(0) NOT NULL,
        measure text NOT NULL CHECK (measure IN ('status', 'source', 'format', 'error_code', 'queue_ms', 'total_ms')),
        value text NOT NULL,
        captures integer NOT NULL,
        bytes bigint NOT NULL,
        PRIMARY KEY (account_id, hour, measure, value)
      )`);
    // Hours whose rows have changed since they were summed.
    await runner.query(`
      CREATE TABLE job_hours_stale (
        account_id uuid NOT NULL REFERENCES accounts (id),
        hour timestamptz(0) NOT NULL,
        PRIMARY KEY (account_id, hour)
      )`);
    // One row: every earlier hour is summed.
    await runner.query(`
      CREATE TABLE job_hours_summed (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        until timestamptz(0) NOT NULL
      )`);
    await runner.query(`
      INSERT INTO job_hours_summed (until)
      SELECT date_trunc('hour', coalesce(min(created_at), now()), 'UTC') FROM jobs`);
    await createTriggers(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER jobs_added_late ON jobs`);
    await runner.query(`DROP TRIGGER jobs_finished_late ON jobs`);
    await runner.query(`DROP TRIGGER jobs_deleted ON jobs`);
    await runner.query(`DROP FUNCTION mark_job_hour_stale`);
    await runner.query(`DROP TABLE job_hours_summed`);
    await runner.query(`DROP TABLE job_hours_stale`);
    await runner.query(`DROP TABLE job_hours`);
  }
}

/**
 * The hour is marked in the transaction that changes the row, so a wrong sum is never unmarked. An existing mark is only
 * locked: summing skips it, and a mass change writes it once.
 *
 * WHEN excludes the usual case, a row that is created and finished within one hour: an hour is summed only when every
 * transaction that began in it has ended.
 */
async function createTriggers(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE FUNCTION mark_job_hour_stale() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      job jobs;
      job_hour timestamptz;
    BEGIN
      IF TG_OP = 'DELETE' THEN job := OLD; ELSE job := NEW; END IF;
      job_hour := date_trunc('hour', job.created_at, 'UTC');
      PERFORM FROM job_hours_stale WHERE account_id = job.account_id AND hour = job_hour FOR KEY SHARE;
      IF NOT FOUND THEN
        INSERT INTO job_hours_stale (account_id, hour) VALUES (job.account_id, job_hour)
        ON CONFLICT (account_id, hour) DO UPDATE SET hour = EXCLUDED.hour;
      END IF;
      RETURN NULL;
    END $$`);
  await runner.query(`
    CREATE TRIGGER jobs_added_late AFTER INSERT ON jobs FOR EACH ROW
    WHEN (NEW.status NOT IN ('queued', 'running') AND NEW.created_at < date_trunc('hour', now(), 'UTC'))
    EXECUTE FUNCTION mark_job_hour_stale()`);
  await runner.query(`
    CREATE TRIGGER jobs_finished_late AFTER UPDATE OF status ON jobs FOR EACH ROW
    WHEN (OLD.status IN ('queued', 'running') AND NEW.status NOT IN ('queued', 'running')
          AND NEW.created_at < date_trunc('hour', now(), 'UTC'))
    EXECUTE FUNCTION mark_job_hour_stale()`);
  await runner.query(`
    CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs FOR EACH ROW
    WHEN (OLD.status NOT IN ('queued', 'running') AND OLD.created_at < date_trunc('hour', now(), 'UTC'))
    EXECUTE FUNCTION mark_job_hour_stale()`);
}
