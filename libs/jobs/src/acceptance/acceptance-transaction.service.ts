import { Injectable } from '@nestjs/common';
import { DatabaseService, sqlStateOf, type Transaction } from '@app/database';
import { AppError } from '@app/kernel';
import type { Idempotency } from './submission.js';

/** A twin that is being accepted by another process is waited for this long, when nobody else waits behind it. */
const LOCK_TIMEOUT_MS = 5_000;

/** SQLSTATE `lock_not_available`: the lock timeout has passed. */
const LOCK_TIMED_OUT = '55P03';

type Work<T> = (transaction: Transaction) => Promise<T>;

/** The transaction in which something is accepted: it does not wait for ever for those who accept meanwhile. */
@Injectable()
export class AcceptanceTransactionService {
  constructor(private readonly database: DatabaseService) {}

  /** Gives up with SQLSTATE 55P03 when it has waited for one lock for `lockTimeoutMs`. */
  within<T>(lockTimeoutMs: number, work: Work<T>): Promise<T> {
    return this.database.transaction(async (transaction) => {
      await transaction.query(`SELECT set_config('lock_timeout', $1, true)`, [String(lockTimeoutMs)]);
      return work(transaction);
    });
  }

  /**
   * For one request that nobody waits behind.
   *
   * @throws AppError `idempotency_in_flight`, or `overloaded` of a request without a key
   */
  async patiently<T>(idempotency: Idempotency | undefined, work: Work<T>): Promise<T> {
    try {
      return await this.within(LOCK_TIMEOUT_MS, work);
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_TIMED_OUT) throw error;
      throw new AppError(idempotency ? 'idempotency_in_flight' : 'overloaded', { cause: error });
    }
  }
}
