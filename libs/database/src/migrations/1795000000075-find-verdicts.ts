import type { MigrationInterface, QueryRunner } from 'typeorm';

const ORDER = 'created_at DESC, id DESC';

/** NULL becomes a value, so that captures without a verdict or a comparison are found like any others. */
const KIND = `status, source, format, coalesce(verdict ->> 'kind', ''), coalesce(changed::text, ''), ${ORDER}`;
const EARLIER_KIND = `status, source, format, ${ORDER}`;

/**
 * Adds the verdict and the change to the indexes of the history, and one for a reference together with a host
 * (libs/jobs/src/history/kinds.ts). Earlier captures have neither a verdict nor a change.
 *
 * The indexes are built as in FindHistory1795000000060. Lists of the version before still work, without these indexes.
 */
export class FindVerdicts1795000000075 implements MigrationInterface {
  name = 'FindVerdicts1795000000075';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX new_jobs_by_kind ON jobs (account_id, ${KIND})`);
    await runner.query(`CREATE INDEX new_jobs_by_host ON jobs (account_id, host, ${KIND})`);
    await runner.query(
      `CREATE INDEX new_jobs_by_reference ON jobs (account_id, reference, ${KIND}) WHERE reference IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX jobs_by_reference_and_host ON jobs (account_id, reference, host, ${KIND})
        WHERE reference IS NOT NULL AND host IS NOT NULL`,
    );
    await runner.query(`
      ALTER TABLE jobs ADD CONSTRAINT jobs_outcome_check
        CHECK ((verdict IS NULL OR status IN ('succeeded', 'failed')) AND (changed IS NULL OR status = 'succeeded'))`);
    await replace(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX new_jobs_by_kind ON jobs (account_id, ${EARLIER_KIND})`);
    await runner.query(`CREATE INDEX new_jobs_by_host ON jobs (account_id, host, ${EARLIER_KIND})`);
    await runner.query(
      `CREATE INDEX new_jobs_by_reference ON jobs (account_id, reference, ${EARLIER_KIND}) INCLUDE (host)
        WHERE reference IS NOT NULL`,
    );
    await runner.query(`ALTER TABLE jobs DROP CONSTRAINT jobs_outcome_check`);
    await runner.query(`DROP INDEX jobs_by_reference_and_host`);
    await replace(runner);
  }
}

/** Drops the indexes of these names last, because that also blocks reads. */
async function replace(runner: QueryRunner): Promise<void> {
  await runner.query(`DROP INDEX jobs_by_kind, jobs_by_host, jobs_by_reference`);
  for (const name of ['jobs_by_kind', 'jobs_by_host', 'jobs_by_reference']) {
    await runner.query(`ALTER INDEX new_${name} RENAME TO ${name}`);
  }
}
