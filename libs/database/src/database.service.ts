import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError, withTimeout } from '@app/kernel';
import { lockTransaction, tryAdvisoryLock, type LockName } from './advisory-lock.js';
import { NoConnectionError, SchemaError, sqlStateOf } from './database-errors.js';
import type { DatabaseState } from './database-state.js';
import { SCHEMA_TIMES, schemaFault, type SchemaTimes } from './schema-version.js';

/** A transaction in progress; repositories take it as a parameter, so that several of them share one. */
export type Transaction = EntityManager;

/** As long as a connection may take by default. */
const DEAD_AFTER_MS = 5_000;

/** One statement, because a probe comes every few seconds from everywhere. */
const PING = `SELECT current_setting('transaction_read_only') AS read_only, ${SCHEMA_TIMES} FROM migrations`;
const UNDEFINED_TABLE = '42P01';

interface Server extends SchemaTimes {
  readonly read_only: string;
}

interface Ping {
  readonly since: number;
  readonly state: Promise<DatabaseState>;
}

/** Runs work in transactions that several repositories share, and under advisory locks. */
@Injectable()
export class DatabaseService {
  private pending: Ping | undefined;
  /** Whether the last ping got an answer. Without it, a server that never answers would be slow at the start of each ping. */
  private isAnswering = true;

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
      // A refusal of the pool says so itself.
      if (begun || cause instanceof AppError) throw cause;
      throw new NoConnectionError('A transaction could not be started.', { cause });
    }
  }

  /**
   * Runs `work` in a transaction that holds the lock until it ends; null, without running it, while another process holds
   * the lock.
   */
  tryLockedTransaction<T>(lock: LockName, work: (transaction: Transaction) => Promise<T>): Promise<T | null> {
    return this.transaction(async (transaction) =>
      (await lockTransaction(transaction, lock)) ? work(transaction) : null,
    );
  }

  /**
   * Runs `work` while this process holds the lock, unless another process holds it; returns whether it ran. The lock is
   * the session's, not a transaction's, so that work of some seconds keeps no snapshot open; its connection is taken from
   * the pool in addition to those that `work` uses. The lock ends with its process, or soon after the process hangs.
   */
  tryAdvisoryLock(lock: LockName, work: () => Promise<void>): Promise<boolean> {
    return tryAdvisoryLock({ source: this.source, lock, work });
  }

  /** Notifies the processes that listen to the channel, at once and outside of any transaction. */
  async notify(channel: string, payload: string): Promise<void> {
    await this.source.query('SELECT pg_notify($1, $2)', [channel, payload]);
  }

  /** How many statements wait for a connection of the pool. */
  waiting(): number {
    const { master } = this.source.driver as unknown as { readonly master?: { readonly waiting: number } };
    return master?.waiting ?? 0;
  }

  /**
   * Rejects when the database does not respond, accepts no writes, or has a schema that this version cannot work on.
   *
   * @throws SchemaError, NoConnectionError, or an error of the driver
   */
  async ping(): Promise<void> {
    const [server] = await this.source.query<Server[]>(PING).catch((error: unknown) => {
      throw sqlStateOf(error) === UNDEFINED_TABLE ? new SchemaError('old_schema', error) : error;
    });
    if (server?.read_only !== 'off') throw new NoConnectionError('The database accepts no writes.');
    const fault = schemaFault(server);
    if (fault) throw new SchemaError(fault);
  }

  /**
   * The state of the database, by a ping that concurrent callers share. A ping that takes longer than `withinMs` is slow,
   * which is no outage of a database that answered the ping before: only one without an answer for five seconds is. Never
   * rejects.
   */
  async state(withinMs: number): Promise<DatabaseState> {
    const ping = (this.pending ??= this.startPing());
    return withTimeout(ping.state, withinMs, 'the ping').catch(() =>
      this.isAnswering && performance.now() - ping.since < DEAD_AFTER_MS ? 'slow' : 'down',
    );
  }

  private startPing(): Ping {
    const state = this.ping()
      .then(() => 'ok' as const, stateAfter)
      .then((found) => {
        this.isAnswering = found !== 'down';
        this.pending = undefined;
        return found;
      });
    return { since: performance.now(), state };
  }
}

function stateAfter(error: unknown): DatabaseState {
  return error instanceof SchemaError ? error.fault : 'down';
}
