import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The columns, with the fields that records of earlier versions lack. */
const COLUMNS = {
  timings: '{}',
  missing: '{}',
  blocked: '{}',
  consent: '{}',
  readiness: '{"waited_for": []}',
  verdict: '{}',
  stable: '{}',
};

/**
 * Stores what captures report as `json`, which keeps the order of fields, so that the record shows it as it is stored. Fields of
 * earlier captures stay in the order of `jsonb`.
 *
 * It rewrites the table and its indexes, which blocks reads and writes meanwhile, as docs/operations.md states.
 */
export class KeepOrderOfFields1795000000160 implements MigrationInterface {
  name = 'KeepOrderOfFields1795000000160';

  async up(runner: QueryRunner): Promise<void> {
    const changes = Object.entries(COLUMNS).map(
      ([column, absent]) => `ALTER COLUMN ${column} TYPE json USING ('${absent}'::jsonb || ${column})::json`,
    );
    // Records of comparisons of earlier versions do not say that they did not fail.
    const change = `ALTER COLUMN change TYPE json USING ('{"failure": null}'::jsonb || change::jsonb)::json`;
    await runner.query(`ALTER TABLE jobs ${[...changes, change].join(', ')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const changes = Object.keys(COLUMNS).map((column) => `ALTER COLUMN ${column} TYPE jsonb`);
    await runner.query(`ALTER TABLE jobs ${changes.join(', ')}`);
  }
}
