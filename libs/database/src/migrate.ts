import { DataSource } from 'typeorm';
import { StartupError } from '@app/kernel';
import { withAdvisoryLock } from './advisory-lock.js';
import { dataSourceOptions } from './data-source.js';
import { MIGRATIONS } from './migrations/index.js';
import { assertReachable } from './database-url.js';
import { isUnsupported, SCHEMA_TIMES, type SchemaTimes } from './schema-version.js';

/** A migration may rewrite a table of many million rows. */
const MIGRATION_MS = 24 * 60 * 60_000;

const UNSUPPORTED =
  'The schema of the database was made by a commit before version 0.2.0, which cannot be upgraded. Nothing was changed.\n' +
  'Use an empty database: set DATABASE_URL to one. Where `npm start` runs a PostgreSQL of its own, move its folder away, which is\n' +
  'DATA_DIR, or .data by default.';

/**
 * Brings the schema up to date and returns the names of the migrations that it ran. Several processes may call it at once:
 * an advisory lock lets one of them work, and the others find nothing left to do.
 *
 * @throws StartupError when the database cannot be used, or its schema cannot be upgraded
 */
export function migrate(url: string): Promise<string[]> {
  return withLock(url, async (source) => {
    await assertSupported(source);
    return (await source.runMigrations()).map(({ name }) => name);
  });
}

async function assertSupported(source: DataSource): Promise<void> {
  const [table]: [{ exists: boolean }] = await source.query(
    `SELECT to_regclass('migrations') IS NOT NULL AS exists`,
  );
  if (!table.exists) return;
  const [times]: [SchemaTimes] = await source.query(`SELECT ${SCHEMA_TIMES} FROM migrations`);
  if (isUnsupported(times)) throw new StartupError(UNSUPPORTED);
}

/** Reverts every migration, newest first; for tests of `down`. */
export function revertAll(url: string): Promise<void> {
  return withLock(url, async (source) => {
    for (const _ of MIGRATIONS) await source.undoLastMigration();
  });
}

async function withLock<T>(url: string, work: (source: DataSource) => Promise<T>): Promise<T> {
  await assertReachable(url);
  const source = new DataSource(
    dataSourceOptions({ url, poolSize: 2, name: 'capture-migrate', silenceMs: MIGRATION_MS }),
  );
  await source.initialize();
  try {
    return await withAdvisoryLock({ source, lock: 'migrate', work: () => work(source) });
  } finally {
    await source.destroy();
  }
}
