import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { IDLE_IN_TRANSACTION_MS } from './data-source.js';

/**
 * Every advisory lock of the service. The numbers are arbitrary, to differ from those of other users of the database. They
 * never change: during an update old and new processes must mean the same lock.
 */
export const LOCKS = {
  migrate: 7_346_001,
  sum: 7_346_002,
  reconcile: 7_346_003,
  dispatch: 7_346_004,
  expire: 7_346_005,
  account: 7_346_006,
  settle: 7_346_007,
  monitors: 7_346_010,
  sessions: 7_346_013,
  batches: 7_346_020,
  accounts: 7_346_021,
  crawls: 7_346_011,
} as const;

export type LockName = keyof typeof LOCKS;

/** After this silence of a process PostgreSQL ends its session, and another process gets the lock. */
const SILENT_MS = IDLE_IN_TRANSACTION_MS;

interface LockedWork<T> {
  readonly source: DataSource;
  readonly lock: LockName;
  readonly work: () => Promise<T>;
}

/** Runs `work` while this process holds the lock; waits until it is free. */
export function withAdvisoryLock<T>({ source, lock, work }: LockedWork<T>): Promise<T> {
  return withSession(source, async (session) => {
    await session.query('SELECT pg_advisory_lock($1)', [LOCKS[lock]]);
    return runAndUnlock(session, lock, work);
  });
}

/** Runs `work` while this process holds the lock, unless another holds it; returns whether it ran. */
export function tryAdvisoryLock({ source, lock, work }: LockedWork<void>): Promise<boolean> {
  return withSession(source, async (session) => {
    const isFree = await tryLock(session.manager, 'pg_try_advisory_lock', lock);
    if (isFree) await runAndUnlock(session, lock, work);
    return isFree;
  });
}

/** Takes the lock until the end of the transaction; false while another holds it. */
export function lockTransaction(transaction: EntityManager, lock: LockName): Promise<boolean> {
  return tryLock(transaction, 'pg_try_advisory_xact_lock', lock);
}

/** Takes the lock for one account until the end of the transaction; waits while another transaction holds it. */
export async function lockForAccount(
  transaction: EntityManager,
  lock: LockName,
  accountId: string,
): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock($1::integer, hashtext($2))', [
    LOCKS[lock],
    accountId,
  ]);
}

async function tryLock(manager: EntityManager, by: string, lock: LockName): Promise<boolean> {
  const [row] = await manager.query<{ taken: boolean }[]>(`SELECT ${by}($1) AS taken`, [LOCKS[lock]]);
  return row?.taken === true;
}

async function withSession<T>(source: DataSource, use: (session: QueryRunner) => Promise<T>): Promise<T> {
  const session = source.createQueryRunner();
  try {
    // A machine that vanishes closes no connection: by default PostgreSQL would keep its lock for two hours.
    await session.query(
      `SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
              set_config('tcp_keepalives_count', '3', false)`,
    );
    return await use(session);
  } finally {
    await session.release();
  }
}

async function runAndUnlock<T>(session: QueryRunner, lock: LockName, work: () => Promise<T>): Promise<T> {
  const heartbeat = await startHeartbeat(session);
  const unlock = async (): Promise<void> => {
    await heartbeat.end();
    await session.query('SELECT pg_advisory_unlock($1)', [LOCKS[lock]]);
  };
  const result = await work().catch(async (error: unknown) => {
    // The error of the work says more than that of a session lost with it.
    await unlock().catch(() => undefined);
    throw error;
  });
  await unlock();
  return result;
}

/** Has PostgreSQL end the session when this process stands still, until `end`. */
async function startHeartbeat(session: QueryRunner): Promise<{ end(): Promise<void> }> {
  const setIdleTimeout = (ms: number): Promise<unknown> =>
    session.query(`SELECT set_config('idle_session_timeout', $1, false)`, [String(ms)]);
  await setIdleTimeout(SILENT_MS);
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // A lost session shows when the lock is released.
    last = session.query('SELECT 1').catch(() => undefined);
  }, SILENT_MS / 4);
  const end = async (): Promise<void> => {
    clearInterval(timer);
    await last;
    await setIdleTimeout(0);
  };
  return { end };
}
