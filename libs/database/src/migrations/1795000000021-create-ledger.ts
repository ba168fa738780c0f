import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the ledger: one entry per charged capture. */
export class CreateLedger1795000000021 implements MigrationInterface {
  name = 'CreateLedger1795000000021';

  async up(runner: QueryRunner): Promise<void> {
    // No foreign key to the job, whose record expires earlier.
    await runner.query(`
      CREATE TABLE usage_ledger (
        job_id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES accounts (id),
        period text NOT NULL,
        at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(`CREATE INDEX usage_ledger_period ON usage_ledger (account_id, period, at)`);
    // `folded`: charges whose entries are deleted or never existed. `announced`: the highest threshold, in percent, of
    // which the account was notified when its allowance was `announced_total`.
    await runner.query(`
      ALTER TABLE usage_counters
        ADD COLUMN folded integer NOT NULL DEFAULT 0 CHECK (folded >= 0),
        ADD COLUMN announced smallint NOT NULL DEFAULT 0,
        ADD COLUMN announced_total integer NOT NULL DEFAULT 0`);
    await this.fill(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE usage_counters DROP COLUMN folded, DROP COLUMN announced, DROP COLUMN announced_total`,
    );
    await runner.query(`DROP TABLE usage_ledger`);
  }

  /**
   * Adds entries for captures that have already succeeded; those whose records have expired are known only as a number. The
   * counters cannot change, because their table is locked by ALTER. A capture that ends at this moment counts in the second
   * statement as in the first; if its entry is missed, the accounting of the workers adds it.
   */
  private async fill(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO usage_ledger (job_id, account_id, period, at)
      SELECT id, account_id, usage_period, coalesce(finished_at, created_at) FROM jobs WHERE status = 'succeeded'`);
    await runner.query(`
      UPDATE usage_counters counter
         SET folded = greatest(0, counter.used - (
           SELECT count(*) FROM jobs
            WHERE account_id = counter.account_id AND usage_period = counter.period
              AND status IN ('queued', 'running', 'succeeded')))`);
  }
}
