import type { MigrationInterface, QueryRunner } from 'typeorm';

const OLD = { table: 'job_leavings_swept', index: 'jobs_leavings' };
const NEW = { table: 'job_orphaned_files_swept', index: 'jobs_orphaned_files' };

/**
 * Files that no row names are called orphaned files everywhere. Only names change. A worker of an earlier version fails
 * to sweep them until it is replaced, logs that, and leaves them to the others.
 */
export class NameOrphanedFiles1795000000070 implements MigrationInterface {
  name = 'NameOrphanedFiles1795000000070';

  up(runner: QueryRunner): Promise<void> {
    return rename(runner, OLD, NEW);
  }

  down(runner: QueryRunner): Promise<void> {
    return rename(runner, NEW, OLD);
  }
}

async function rename(runner: QueryRunner, from: typeof OLD, to: typeof OLD): Promise<void> {
  await runner.query(`ALTER TABLE ${from.table} RENAME TO ${to.table}`);
  await runner.query(`ALTER INDEX ${from.index} RENAME TO ${to.index}`);
  // PostgreSQL 18 names NOT NULL constraints as well; earlier versions have only the primary key and the check.
  await runner.query(`
    DO $$
    DECLARE
      old text;
    BEGIN
      FOR old IN SELECT conname FROM pg_constraint WHERE conrelid = '${to.table}'::regclass LOOP
        EXECUTE format('ALTER TABLE ${to.table} RENAME CONSTRAINT %I TO %I',
                       old, replace(old, '${from.table}', '${to.table}'));
      END LOOP;
    END $$`);
}
