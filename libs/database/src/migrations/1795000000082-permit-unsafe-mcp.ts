import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Says for each key whether the tools of `POST /mcp` accept options that run code or carry secrets. */
export class PermitUnsafeMcp1795000000082 implements MigrationInterface {
  name = 'PermitUnsafeMcp1795000000082';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys ADD COLUMN mcp_unsafe boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP COLUMN mcp_unsafe`);
  }
}
