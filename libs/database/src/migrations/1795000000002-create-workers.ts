import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWorkers1795000000002 implements MigrationInterface {
  name = 'CreateWorkers1795000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workers (
        id text PRIMARY KEY,
        slots integer NOT NULL,
        busy integer NOT NULL,
        healthy integer NOT NULL,
        browser text NOT NULL,
        sandbox boolean NOT NULL,
        seen_at timestamptz(3) NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE workers`);
  }
}
