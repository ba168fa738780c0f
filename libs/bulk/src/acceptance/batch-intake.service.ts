import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import {
  AccountRoomService,
  BatchRowRepository,
  IdempotencyKeyRepository,
  JobCacheService,
  type AnsweredRows,
  type CacheDemand,
  type Idempotency,
  type StoredKey,
} from '@app/jobs';
import { AppError, type Fault } from '@app/kernel';
import { allowanceExhausted, UsageService, type Allowance } from '@app/usage';
import { toAcceptedRecord, type BatchRecord } from '../batch-record.js';
import type { Batch } from '../batch.entity.js';
import { assertRoomForBatch } from '../batch-room.js';
import { BatchRepository, type NewBatch } from '../batch.repository.js';
import type { Spool } from './spool.js';

/** A new batch with its rows, which are spooled until they are stored. */
export interface SpooledBatch {
  readonly batch: NewBatch;
  readonly spool: Spool;
  /** What rows ask of the cache, for those that do. */
  readonly demands: readonly CacheDemand[];
  readonly faults: readonly Fault[];
  readonly idempotency: Idempotency | undefined;
}

/** The result of a new batch: stored, or recognised as the repetition of an earlier request. */
export type BatchIntakeOutcome =
  | (StoredBatch & { readonly kind: 'stored'; readonly record: BatchRecord })
  | { readonly kind: 'repeated'; readonly earlier: StoredKey };

interface StoredBatch {
  readonly batch: Batch;
  /** The captures that answered rows although they were stale. */
  readonly staleIds: readonly string[];
}

/** The first response, as it is stored with its Idempotency-Key. */
export interface StoredAnswer {
  readonly record: BatchRecord;
  readonly faults: readonly Fault[];
}

/**
 * Stores a batch within one transaction. The counter of the account is locked last: storing the rows takes seconds, in
 * which other captures of the account must be able to start and end.
 */
@Injectable()
export class BatchIntakeService {
  constructor(
    private readonly keys: IdempotencyKeyRepository,
    private readonly usage: UsageService,
    private readonly batches: BatchRepository,
    private readonly rows: BatchRowRepository,
    private readonly cache: JobCacheService,
    private readonly room: AccountRoomService,
  ) {}

  /** @throws AppError `allowance_exhausted`, `account_paused`, `limit_reached` */
  async accept(transaction: Transaction, spooled: SpooledBatch): Promise<BatchIntakeOutcome> {
    const earlier = await this.claimKey(transaction, spooled);
    if (earlier) return { kind: 'repeated', earlier };
    const stored = await this.store(transaction, spooled);
    const record = toAcceptedRecord(stored.batch);
    await this.storeAnswer(transaction, spooled, record);
    return { ...stored, kind: 'stored', record };
  }

  private async claimKey(
    transaction: Transaction,
    { batch: { id, accountId }, idempotency }: SpooledBatch,
  ): Promise<StoredKey | undefined> {
    if (!idempotency) return undefined;
    const [earlier] = await this.keys.claim(transaction, [{ ...idempotency, accountId, subjectId: id }]);
    return earlier;
  }

  private async store(transaction: Transaction, spooled: SpooledBatch): Promise<StoredBatch> {
    const { id, accountId, queued } = spooled.batch;
    const { period, kept } = await this.checkAllowance(transaction, spooled);
    const batch = await this.batches.add(transaction, spooled.batch);
    for await (const lines of spooled.spool.read()) {
      await this.rows.addAll(transaction, lines, { period, createdAt: batch.createdAt });
    }
    const { rows, staleIds } = await this.answer(transaction, spooled);
    if (queued > rows) {
      const reserved = await this.usage.reserve(transaction, accountId, queued - rows);
      // A month has begun, or the operator has changed the account, while the rows were stored.
      if (reserved !== period) await this.rows.moveToPeriod(transaction, id, reserved);
      // Now that the counter is locked, and the rows are stored.
      const hasWebhook = spooled.batch.webhookUrl !== null;
      await this.room.assertKept(transaction, accountId, { limits: kept, hasWebhook });
      await this.rows.signalWaiting(transaction, id);
    }
    return { batch: rows > 0 ? await this.batches.read(transaction, id) : batch, staleIds };
  }

  /** An early check, before thousands of rows are stored that would be refused; `reserve` decides. Returns the current period. */
  private async checkAllowance(
    transaction: Transaction,
    { batch: { accountId, queued }, demands }: SpooledBatch,
  ): Promise<Allowance> {
    const allowance = await this.usage.readAllowance(transaction, accountId);
    const { available, isPaused, maxBatches } = allowance;
    if (isPaused) throw new AppError('account_paused');
    await assertRoomForBatch(transaction, this.batches, { accountId, max: maxBatches });
    if (available >= queued) return allowance;
    const needed = queued - (await this.cache.countAnswers(accountId, demands));
    if (available < needed) throw allowanceExhausted(needed, available);
    return allowance;
  }

  private async answer(
    transaction: Transaction,
    { batch: { id }, demands }: SpooledBatch,
  ): Promise<AnsweredRows> {
    return demands.length === 0 ? { rows: 0, staleIds: [] } : this.cache.answerRows(transaction, id);
  }

  private async storeAnswer(
    transaction: Transaction,
    { batch: { accountId }, idempotency, faults }: SpooledBatch,
    record: BatchRecord,
  ): Promise<void> {
    if (!idempotency) return;
    const answer: StoredAnswer = { record, faults };
    await this.keys.keepAnswers(transaction, [{ accountId, key: idempotency.key, answer }]);
  }
}
