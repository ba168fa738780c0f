import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['jobs', 'batches', 'webhook_deliveries'];

/** Adds the place in its trace of the request that a job, a batch or a delivery comes from. Earlier rows have none. */
export class KeepTraceContext1795000000085 implements MigrationInterface {
  name = 'KeepTraceContext1795000000085';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} ADD COLUMN trace_context text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} DROP COLUMN trace_context`);
  }
}
