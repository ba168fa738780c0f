import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '@app/kernel';
import { lockTransaction, tryAdvisoryLock, type LockName } from './advisory-lock.js';
import { NoConnectionError } from './database-errors.js';

/** A transaction in progress; repositories take it as a parameter, so that several of them share one. */
export type Transaction = EntityManager;

/** Runs work in transactions that several repositories share, and under advisory locks. */
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

  /** Rejects when the database does not respond or accepts no writes. */
  async ping(): Promise<void> {
    const [server] = await this.source.query<{ transaction_read_only: string }[]>(
      'SHOW transaction_read_only',
    );
    if (server?.transaction_read_only !== 'off')
      throw new NoConnectionError('The database accepts no writes.');
  }
}
