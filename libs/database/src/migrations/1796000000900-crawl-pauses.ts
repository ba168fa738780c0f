import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
  -- paused_until: no page is captured before, because the site asked for it.
  ALTER TABLE crawls ADD COLUMN paused_until timestamptz(3);

  -- tries: captures that the site refused for the time being. batch_row: the row of the next one; before the first, the number of the page.
  ALTER TABLE crawl_pages ADD COLUMN tries int2 NOT NULL DEFAULT 0, ADD COLUMN batch_row integer;
  CREATE UNIQUE INDEX crawl_pages_by_row ON crawl_pages (crawl_id, batch_row) WHERE batch_row IS NOT NULL;
`;

/** Lets crawls wait as sites ask them to, and capture pages again that were refused meanwhile. */
export class CrawlPauses1796000000900 implements MigrationInterface {
  name = 'CrawlPauses1796000000900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX crawl_pages_by_row`);
    await runner.query(`ALTER TABLE crawl_pages DROP COLUMN tries, DROP COLUMN batch_row`);
    await runner.query(`ALTER TABLE crawls DROP COLUMN paused_until`);
  }
}
