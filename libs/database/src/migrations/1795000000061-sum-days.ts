import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Daily statistics, which are the sums of hours: two years are 17,500 hours of some hundred values each. Triggers maintain
 * them, so they follow the hours whichever version of the service writes these.
 */
export class SumDays1795000000061 implements MigrationInterface {
  name = 'SumDays1795000000061';

  async up(runner: QueryRunner): Promise<void> {
    // A value without captures keeps its row, with captures = 0.
    await runner.query(`
      CREATE TABLE job_days (
        account_id uuid NOT NULL REFERENCES accounts (id),
        day timestamptz(0) NOT NULL,
        measure text NOT NULL,
        value text NOT NULL,
        captures integer NOT NULL,
        bytes bigint NOT NULL,
        PRIMARY KEY (account_id, day, measure, value)
      )`);
    // Blocks the summing of hours, so that no hour is counted twice.
    await createTriggers(runner);
    await runner.query(`
      INSERT INTO job_days
      SELECT account_id, date_trunc('day', hour, 'UTC'), measure, value, sum(captures), sum(bytes)
        FROM job_hours GROUP BY 1, 2, 3, 4`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER job_hours_added ON job_hours`);
    await runner.query(`DROP TRIGGER job_hours_deleted ON job_hours`);
    await runner.query(`DROP FUNCTION add_hours_to_days`);
    await runner.query(`DROP TABLE job_days`);
  }
}

/** Hours are inserted and deleted, never updated. */
async function createTriggers(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE FUNCTION add_hours_to_days() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      sign integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
    BEGIN
      INSERT INTO job_days (account_id, day, measure, value, captures, bytes)
      SELECT account_id, date_trunc('day', hour, 'UTC'), measure, value, sign * sum(captures), sign * sum(bytes)
        FROM changed GROUP BY 1, 2, 3, 4
          ON CONFLICT (account_id, day, measure, value)
          DO UPDATE SET captures = job_days.captures + EXCLUDED.captures, bytes = job_days.bytes + EXCLUDED.bytes;
      RETURN NULL;
    END $$`);
  await runner.query(`
    CREATE TRIGGER job_hours_added AFTER INSERT ON job_hours REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION add_hours_to_days()`);
  await runner.query(`
    CREATE TRIGGER job_hours_deleted AFTER DELETE ON job_hours REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION add_hours_to_days()`);
}
