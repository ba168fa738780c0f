import { Injectable } from '@nestjs/common';
import { DatabaseService, sqlStateOf, type Transaction } from '@app/database';
import { AppError } from '@app/kernel';
import type { Idempotency } from './idempotency.js';

/** How long a single request waits for another process that is accepting the same request. */
const LOCK_TIMEOUT_MS = 5_000;

/** SQLSTATE `lock_not_available`: the lock timeout has passed. */
const LOCK_TIMED_OUT = '55P03';

type Work<T> = (transaction: Transaction) => Promise<T>;

/** The transaction in which a job or a batch is accepted. It waits only for a limited time for the locks of others. */
@Injectable()
export class AcceptanceTransactionService {
  constructor(private readonly database: DatabaseService) {}

  /** Rejects with SQLSTATE 55P03 after waiting for one lock for `lockTimeoutMs`. */
  withLockTimeout<T>(lockTimeoutMs: number, work: Work<T>): Promise<T> {
    return this.database.transaction(async (transaction) => {
      await transaction.query(`SELECT set_config('lock_timeout', $1, true)`, [String(lockTimeoutMs)]);
      return work(transaction);
    });
  }

  /**
   * For a request that delays no other one.
   *
   * @throws AppError `idempotency_in_flight`, or `overloaded` for a request without a key
   */
  async forOneRequest<T>(idempotency: Idempotency | undefined, work: Work<T>): Promise<T> {
    try {
      return await this.withLockTimeout(LOCK_TIMEOUT_MS, work);
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_TIMED_OUT) throw error;
      throw new AppError(idempotency ? 'idempotency_in_flight' : 'overloaded', { cause: error });
    }
  }
}
