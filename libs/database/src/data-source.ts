import 'reflect-metadata';
import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { MIGRATIONS } from './migrations/index.js';
import { Pool } from './pool.js';

export interface DatabaseAddress {
  readonly url: string;
  readonly poolSize: number;
  /** Shown in `pg_stat_activity`. */
  readonly name: string;
  /** How long a statement may take; undefined: SILENCE_MS. */
  readonly silenceMs?: number | undefined;
}

/**
 * PostgreSQL ends the session of a process that hangs within a transaction after this time. Otherwise its locks, such as
 * those of an account or of the dispatcher, would block all other processes. It is the duration of a lease, after which
 * another worker takes the captures, too. No transaction waits for anything but the database.
 */
export const IDLE_IN_TRANSACTION_MS = 20_000;

/** Longer than any statement but those of migrations, and less than the minute that a worker keeps a result. */
export const SILENCE_MS = 45_000;

/** A server that does not accept a connection within this time counts as unavailable. */
const CONNECT_MS = 5_000;

/** The time to connect in ms: that of the `connect_timeout` in the URL, as libpq reads it in seconds, or 5 s. */
export function connectMsOf(url: string): number {
  const seconds = Number(URL.parse(url)?.searchParams.get('connect_timeout'));
  return Number.isInteger(seconds) && seconds > 0 ? seconds * 1_000 : CONNECT_MS;
}

/** Options of a connection pool. Only migrations change the schema, never the entities. */
export function dataSourceOptions({ url, poolSize, name, silenceMs = SILENCE_MS }: DatabaseAddress) {
  return {
    type: 'postgres',
    driver: { ...pg, Pool },
    url,
    poolSize,
    applicationName: name,
    synchronize: false,
    migrationsRun: false,
    // TypeORM's logger prints whole statements with their parameters, which contain user data.
    logging: false,
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    connectTimeoutMS: connectMsOf(url),
    extra: { idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS, silenceMs },
  } satisfies DataSourceOptions;
}
