import type { MigrationInterface, QueryRunner } from 'typeorm';

const ORDER = 'created_at DESC, id DESC';

/**
 * Indexes for history by any filter: status, source and format have few values, so a page is read from one range of an index
 * for each combination of them (libs/jobs/src/history/history-page.ts).
 *
 * The indexes are not built CONCURRENTLY, which is impossible within a transaction and leaves an invalid index when it
 * fails. Rows cannot be written while they are built, as docs/operations.md says, but can be read: DROP, which also blocks
 * readers, comes last.
 */
export class FindHistory1795000000060 implements MigrationInterface {
  name = 'FindHistory1795000000060';

  async up(runner: QueryRunner): Promise<void> {
    const few = `status, source, format, ${ORDER}`;
    await runner.query(`CREATE INDEX jobs_by_kind ON jobs (account_id, ${few})`);
    await runner.query(`CREATE INDEX jobs_by_host ON jobs (account_id, host, ${few})`);
    // Includes the host, so that a filter by reference and host is answered from the index.
    await runner.query(
      `CREATE INDEX jobs_by_reference ON jobs (account_id, reference, ${few}) INCLUDE (host) WHERE reference IS NOT NULL`,
    );
    await runner.query(`DROP INDEX jobs_history_status, jobs_history_host, jobs_history_reference`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX jobs_history_status ON jobs (account_id, status, ${ORDER}) WHERE status <> 'succeeded'`,
    );
    await runner.query(`CREATE INDEX jobs_history_host ON jobs (account_id, host, ${ORDER})`);
    await runner.query(
      `CREATE INDEX jobs_history_reference ON jobs (account_id, reference, ${ORDER}) WHERE reference IS NOT NULL`,
    );
    await runner.query(`DROP INDEX jobs_by_kind, jobs_by_host, jobs_by_reference`);
  }
}
