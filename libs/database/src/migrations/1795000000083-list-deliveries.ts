import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds a page of the deliveries of an account, of any type and state. */
export class ListDeliveries1795000000083 implements MigrationInterface {
  name = 'ListDeliveries1795000000083';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX webhook_deliveries_by_kind ON webhook_deliveries (account_id, type, state, created_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX webhook_deliveries_by_kind`);
  }
}
