import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds what a capture removed that had come over its page. Earlier captures have none of it. */
export class ReportOverlays1795000000091 implements MigrationInterface {
  name = 'ReportOverlays1795000000091';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs ADD COLUMN overlays json`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs DROP COLUMN overlays`);
  }
}
