import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the lists of what a page says about itself apart from the rest of `page`: the history and webhooks do not read them. */
export class SplitPage1795000000076 implements MigrationInterface {
  name = 'SplitPage1795000000076';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs ADD COLUMN page_lists json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs DROP COLUMN page_lists');
  }
}
