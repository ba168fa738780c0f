import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { AppError, isId } from '@app/kernel';
import type { Monitor } from './monitor.entity.js';
import { MonitorRepository } from './monitor.repository.js';

/** Locks a monitor for a change, so that no change meets an instant half way. */
@Injectable()
export class MonitorLockService {
  constructor(
    private readonly database: DatabaseService,
    private readonly monitors: MonitorRepository,
  ) {}

  /** @throws AppError `not_found` */
  withLocked<T>(
    accountId: string,
    id: string,
    work: (transaction: Transaction, monitor: Monitor) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (transaction) => {
      const monitor = isId(id) ? await this.monitors.lock(transaction, accountId, id) : null;
      if (!monitor) throw noMonitor();
      return work(transaction, monitor);
    });
  }
}

/** The error for an unknown id, and for that of another account's monitor. */
export function noMonitor(): AppError {
  return new AppError('not_found', { detail: 'There is no monitor with this id.' });
}
