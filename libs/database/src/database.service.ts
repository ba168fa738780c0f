import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { IDLE_IN_TRANSACTION_MS } from './data-source.js';
import { LOCKS, type LockName } from './locks.js';
import { NoConnectionError } from './outage.js';

/** A transaction in progress; repositories take it so that several of them share one. */
export type Transaction = EntityManager;

/** A process that is silent for this long is as good as dead to who waits for its lock. */
const SILENT_MS = IDLE_IN_TRANSACTION_MS;

/** Runs work of several repositories in one transaction, and plain statements. */
@Injectable()
export class DatabaseService {
  constructor(private readonly source: DataSource) {}

  /** Commits when `work` resolves, rolls back when it rejects. */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    let begun = false;
    try {
      return await this.source.transaction((transaction) => {
        begun = true;
        return work(transaction);
      });
    } catch (cause) {
      if (begun) throw cause;
      throw new NoConnectionError('A transaction could not begin.', { cause });
    }
  }

  /**
   * Runs `work` unless a process is at work under the same name; says whether it ran. For what one process at a time
   * is to do. The lock is the session's, not a transaction's, so that work of some seconds keeps no snapshot; its
   * connection is taken from the pool in addition to those that `work` uses. It ends with the process that holds it, and
   * soon after that process stands still.
   */
  async alone(name: LockName, work: () => Promise<void>): Promise<boolean> {
    const session = this.source.createQueryRunner();
    try {
      // A machine that vanishes sends no farewell: by default PostgreSQL would keep its lock for two hours.
      await session.query(
        `SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
                set_config('tcp_keepalives_count', '3', false)`,
      );
      const [lock] = await session.manager.query<{ taken: boolean }[]>(
        'SELECT pg_try_advisory_lock($1) AS taken',
        [LOCKS[name]],
      );
      if (lock?.taken !== true) return false;
      const alive = await keepAlive(session);
      try {
        await work();
      } finally {
        await alive.end();
        await session.query('SELECT pg_advisory_unlock($1)', [LOCKS[name]]);
      }
      return true;
    } finally {
      await session.release();
    }
  }

  /** Rejects when the database does not answer, or takes no writes. */
  async ping(): Promise<void> {
    const [server] = await this.source.query<{ transaction_read_only: string }[]>(
      'SHOW transaction_read_only',
    );
    if (server?.transaction_read_only !== 'off') throw new NoConnectionError('The database takes no writes.');
  }
}

/** Has PostgreSQL end the session when this process is not heard of any more, until `end`. */
async function keepAlive(session: QueryRunner): Promise<{ end(): Promise<void> }> {
  const setTimeoutTo = (ms: number): Promise<unknown> =>
    session.query(`SELECT set_config('idle_session_timeout', $1, false)`, [String(ms)]);
  await setTimeoutTo(SILENT_MS);
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // A session that is lost shows when the lock is given back.
    last = session.query('SELECT 1').catch(() => undefined);
  }, SILENT_MS / 4);
  const end = async (): Promise<void> => {
    clearInterval(timer);
    await last;
    await setTimeoutTo(0);
  };
  return { end };
}
