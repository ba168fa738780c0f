import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A worker reports its filter lists, which `GET /v1/version` names. */
export class NameFilterLists1795000000073 implements MigrationInterface {
  name = 'NameFilterLists1795000000073';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE workers ADD COLUMN filter_lists jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE workers DROP COLUMN filter_lists`);
  }
}
