import { DataSource } from 'typeorm';
import { withAdvisoryLock } from './advisory-lock.js';
import { dataSourceOptions } from './data-source.js';
import { MIGRATIONS } from './migrations/index.js';
import { assertReachable } from './database-url.js';

/** A migration may rewrite a table of many million rows. */
const MIGRATION_MS = 24 * 60 * 60_000;

/**
 * Brings the schema up to date and returns the names of the migrations that it ran. Several processes may call it at once:
 * an advisory lock lets one of them work, and the others find nothing left to do.
 *
 * @throws StartupError when the database cannot be used
 */
export function migrate(url: string): Promise<string[]> {
  return withLock(url, async (source) => (await source.runMigrations()).map(({ name }) => name));
}

/** The time of the newest migration that this version knows, as the table `migrations` has it. */
export const NEWEST_MIGRATION = Math.max(...MIGRATIONS.map(({ name }) => Number(/\d+$/.exec(name)?.[0])));

/** Reverts every migration, newest first; for tests of `down`. */
export function revertAll(url: string): Promise<void> {
  return withLock(url, (source) => revert(source, MIGRATIONS.length));
}

/** Reverts the migration whose name begins like this, and all later ones; for tests. */
export function revertTo(url: string, name: string): Promise<void> {
  const first = MIGRATIONS.findIndex((migration) => migration.name.startsWith(name));
  if (first === -1) throw new RangeError(`There is no migration ${name}`);
  return withLock(url, (source) => revert(source, MIGRATIONS.length - first));
}

async function revert(source: DataSource, migrations: number): Promise<void> {
  for (let i = 0; i < migrations; i++) await source.undoLastMigration();
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
