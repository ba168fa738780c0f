import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The request rate of accounts, and the webhook URL of an account; libs/usage uses them. */
export class LimitRates1795000000020 implements MigrationInterface {
  name = 'LimitRates1795000000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts
        ADD COLUMN rate integer NOT NULL DEFAULT 600 CHECK (rate > 0),
        ADD COLUMN burst integer NOT NULL DEFAULT 100 CHECK (burst > 0),
        ADD COLUMN webhook_url text`);
    // Unlogged: its commits do not wait for a disk. A crash empties it, and a bucket without a row is full. It has at most
    // one row for each account, so nothing needs to be cleaned up. Half of each page stays free, so that an update stays
    // in its page and changes no index.
    await runner.query(`
      CREATE UNLOGGED TABLE rate_buckets (
        account_id uuid PRIMARY KEY,
        rate integer NOT NULL,
        level bigint NOT NULL,
        asked integer NOT NULL,
        at_ms bigint NOT NULL
      ) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE rate_buckets`);
    await runner.query(`ALTER TABLE accounts DROP COLUMN rate, DROP COLUMN burst, DROP COLUMN webhook_url`);
  }
}
