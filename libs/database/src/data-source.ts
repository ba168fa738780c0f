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
  /** For how long a statement may take; undefined: SILENCE_MS. */
  readonly silenceMs?: number | undefined;
}

/**
 * A process that stands still within a transaction keeps what it has locked, from a row of an account to the turn to
 * dispatch, and keeps all others waiting. After this PostgreSQL ends its session; as long as a lease, for then its
 * captures are another's, too. No transaction of ours waits for anything but the database.
 */
export const IDLE_IN_TRANSACTION_MS = 20_000;

/** No statement of ours takes this long; migrations may. Less than the minute for which a worker holds a result. */
export const SILENCE_MS = 45_000;

/** A server that has not taken a connection by then counts as away. */
export const CONNECT_MS = 5_000;

/** Options of a connection pool. The schema is changed by migrations alone, never by the entities. */
export function dataSourceOptions({ url, poolSize, name, silenceMs = SILENCE_MS }: DatabaseAddress) {
  return {
    type: 'postgres',
    driver: { ...pg, Pool },
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
    connectTimeoutMS: CONNECT_MS,
    extra: { idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS, silenceMs },
  } satisfies DataSourceOptions;
}
