import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { BatchRowRepository, IdempotencyKeyRepository, type Idempotency, type StoredKey } from '@app/jobs';
import type { Fault } from '@app/kernel';
import { allowanceExhausted, UsageService } from '@app/usage';
import { toAcceptedRecord, type BatchRecord } from '../batch-record.js';
import type { Batch } from '../batch.entity.js';
import { BatchRepository, type NewBatch } from '../batch.repository.js';
import type { Spool } from './spool.js';

/** A new batch with its rows, which are spooled until they are stored. */
export interface SpooledBatch {
  readonly batch: NewBatch;
  readonly spool: Spool;
  readonly faults: readonly Fault[];
  readonly idempotency: Idempotency | undefined;
}

/** The result of a new batch: stored, or recognised as the repetition of an earlier request. */
export type BatchIntakeOutcome =
  | { readonly kind: 'stored'; readonly batch: Batch; readonly record: BatchRecord }
  | { readonly kind: 'repeated'; readonly earlier: StoredKey };

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
  ) {}

  /** @throws AppError `allowance_exhausted` */
  async take(transaction: Transaction, spooled: SpooledBatch): Promise<BatchIntakeOutcome> {
    const earlier = await this.takeKey(transaction, spooled);
    if (earlier) return { kind: 'repeated', earlier };
    const batch = await this.store(transaction, spooled);
    const record = toAcceptedRecord(batch);
    await this.storeAnswer(transaction, spooled, record);
    return { kind: 'stored', batch, record };
  }

  private async takeKey(
    transaction: Transaction,
    { batch: { id, accountId }, idempotency }: SpooledBatch,
  ): Promise<StoredKey | undefined> {
    if (!idempotency) return undefined;
    const [earlier] = await this.keys.take(transaction, [{ ...idempotency, accountId, subjectId: id }]);
    return earlier;
  }

  private async store(transaction: Transaction, { batch, spool }: SpooledBatch): Promise<Batch> {
    const { id, accountId, queued } = batch;
    // An early check, before thousands of rows are stored in vain; `reserve` decides.
    const { period, available } = await this.usage.readAllowance(transaction, accountId);
    if (available < queued) throw allowanceExhausted(queued, available);
    const stored = await this.batches.add(transaction, batch);
    for await (const lines of spool.read()) {
      await this.rows.addAll(transaction, lines, { period, createdAt: stored.createdAt });
    }
    if (queued === 0) return stored;
    const reserved = await this.usage.reserve(transaction, accountId, queued);
    // A month has begun, or the operator has changed the account, while the rows were stored.
    if (reserved !== period) await this.rows.moveToPeriod(transaction, id, reserved);
    await this.rows.signalWaiting(transaction, id);
    return stored;
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
