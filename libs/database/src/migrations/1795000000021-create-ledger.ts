import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The captures that each account was charged for; libs/usage maintains it. */
export class CreateLedger1795000000021 implements MigrationInterface {
  name = 'CreateLedger1795000000021';

  async up(runner: QueryRunner): Promise<void> {
    // Without a foreign key to the job, whose record expires earlier.
    await runner.query(`
      CREATE TABLE usage_ledger (
        job_id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES accounts (id),
        period text NOT NULL,
        at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(`CREATE INDEX usage_ledger_period ON usage_ledger (account_id, period, at)`);
    // `folded`: charges without an entry. `announced`: the highest threshold, in percent, that the account was notified of
    // when its allowance was `announced_total`.
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
   * Enters the captures that have succeeded before; only their number is known when their records have expired. The
   * counters do not change meanwhile, because their table is being altered. A capture that ends at this moment counts in
   * the second statement as it does in the first; if its entry is missed, the accounting of the workers adds it.
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
