import 'reflect-metadata';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { MIGRATIONS } from './migrations/index.js';

/** Any constant; it only must differ from other users' of the same database. */
const MIGRATION_LOCK = 7_346_001;

export interface DatabaseAddress {
  readonly url: string;
  readonly poolSize: number;
  /** Shown in `pg_stat_activity`. */
  readonly name: string;
}

/** Options of a connection pool. The schema is changed by migrations alone, never by the entities. */
export function dataSourceOptions({ url, poolSize, name }: DatabaseAddress) {
  return {
    type: 'postgres',
    url,
    poolSize,
    applicationName: name,
    synchronize: false,
    migrationsRun: false,
    // TypeORM's own logger prints whole statements with their parameters, that is: with user data.
    logging: false,
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    connectTimeoutMS: 5_000,
  } satisfies DataSourceOptions;
}

/**
 * Brings the schema up to date. Safe to call by several processes at once: an advisory lock lets one work and the
 * others find nothing left to do. Returns the names of the migrations that it ran.
 */
export function migrate(url: string): Promise<string[]> {
  return withLock(url, async (source) => (await source.runMigrations()).map(({ name }) => name));
}

/** Takes back every migration, newest first; for tests of `down`. */
export function revertAll(url: string): Promise<void> {
  return withLock(url, async (source) => {
    for (const _ of MIGRATIONS) await source.undoLastMigration();
  });
}

async function withLock<T>(url: string, work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = new DataSource(dataSourceOptions({ url, poolSize: 2, name: 'capture-migrate' }));
  await source.initialize();
  const lock = source.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work(source);
  } finally {
    // Ends the session and with it the lock.
    await lock.release();
    await source.destroy();
  }
}
