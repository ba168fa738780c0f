import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { AccountRoomService, BatchRowRepository, JobCacheService } from '@app/jobs';
import { AppError, Clock } from '@app/kernel';
import { UsageService, type Allowance } from '@app/usage';
import { assertRoomForBatch } from '../batch-room.js';
import { BatchRepository, type NewBatch } from '../batch.repository.js';
import type { Portion } from './portion-reader.service.js';

/** The batch that rows are added to. */
export interface FedBatch {
  readonly id: string;
  readonly accountId: string;
}

/**
 * Adds rows to a batch while it runs, portion by portion. The allowance is reserved for each portion by itself, in the transaction
 * that stores it. The counter of the account is locked last, as in every transaction that stores rows.
 */
@Injectable()
export class BatchFeedService {
  constructor(
    private readonly batches: BatchRepository,
    private readonly rows: BatchRowRepository,
    private readonly usage: UsageService,
    private readonly cache: JobCacheService,
    private readonly clock: Clock,
    private readonly room: AccountRoomService,
  ) {}

  /**
   * Opens a batch without rows. It ends after `close`, or when it is canceled.
   *
   * @throws AppError `account_paused`, `limit_reached`
   */
  async open(
    transaction: Transaction,
    batch: Omit<NewBatch, 'total' | 'rejected' | 'queued'>,
  ): Promise<void> {
    const { isPaused, maxBatches } = await this.usage.readAllowance(transaction, batch.accountId);
    if (isPaused) throw new AppError('account_paused');
    await assertRoomForBatch(transaction, this.batches, { accountId: batch.accountId, max: maxBatches });
    await this.batches.open(transaction, batch);
  }

  /** How many captures the account may still add, none while it is paused. Only `add` decides. */
  async readAllowance(
    transaction: Transaction,
    accountId: string,
  ): Promise<Pick<Allowance, 'available' | 'isPaused'>> {
    return this.usage.readAllowance(transaction, accountId);
  }

  /**
   * Stores rows. Returns false when the batch takes none any more, because it was canceled; the caller then rolls back.
   *
   * @throws AppError `allowance_exhausted`, `account_paused`, `limit_reached`
   */
  async add(transaction: Transaction, { id, accountId }: FedBatch, portion: Portion): Promise<boolean> {
    const { lines, queued, rejected, demands } = portion;
    const { period, kept } = await this.usage.readAllowance(transaction, accountId);
    await this.rows.addAll(transaction, lines.join('\n'), { period, createdAt: this.clock.now() });
    // Rows are locked before their batch, as in every transaction that ends one.
    const answered = demands.length === 0 ? 0 : (await this.cache.answerRows(transaction, id)).rows;
    if (!(await this.batches.grow(transaction, id, { queued, rejected }))) return false;
    if (queued === answered) return true;
    const reserved = await this.usage.reserve(transaction, accountId, queued - answered);
    if (reserved !== period) await this.rows.moveToPeriod(transaction, id, reserved);
    await this.room.assertKept(transaction, accountId, { limits: kept, hasWebhook: false });
    await this.rows.signalWaiting(transaction, id);
    return true;
  }

  /** The batch ends with its last row. */
  close(transaction: Transaction, batchId: string): Promise<void> {
    return this.batches.close(transaction, batchId);
  }

  /** Whether the batch takes rows, and whether it is over; null when it was deleted. */
  async readState(batchId: string): Promise<{ readonly isOpen: boolean; readonly status: string } | null> {
    const [batch] = await this.batches.list([batchId]);
    return batch ? { isOpen: batch.isOpen && batch.finishedAt === null, status: batch.status } : null;
  }
}
