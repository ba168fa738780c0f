import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { BatchRowRepository, IdempotencyKeyRepository, type Idempotency, type StoredKey } from '@app/jobs';
import type { Fault } from '@app/kernel';
import { allowanceExhausted, UsageService } from '@app/usage';
import { toAcceptedRecord, type BatchRecord } from '../batch-record.js';
import type { Batch } from '../batch.entity.js';
import { BatchRepository, type NewBatch } from '../batch.repository.js';
import type { Spool } from './spool.js';

/** A batch as it is stored. */
export interface BatchCandidate {
  readonly batch: NewBatch;
  /** Its rows. */
  readonly spool: Spool;
  readonly faults: readonly Fault[];
  readonly idempotency: Idempotency | undefined;
}

/** What became of a candidate: stored, or the repetition of an earlier request. */
export type BatchVerdict =
  | { readonly kind: 'stored'; readonly batch: Batch; readonly record: BatchRecord }
  | { readonly kind: 'known'; readonly earlier: StoredKey };

/** The first answer as it is kept under its key. */
export interface KeptAnswer {
  readonly record: BatchRecord;
  readonly faults: readonly Fault[];
}

/**
 * What the transaction does that accepts a batch. The counter of the account is locked last, behind all rows: it takes
 * seconds to store them, in which other captures of the account want to be accepted and to end.
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
  async take(transaction: Transaction, candidate: BatchCandidate): Promise<BatchVerdict> {
    const earlier = await this.takeKey(transaction, candidate);
    if (earlier) return { kind: 'known', earlier };
    const batch = await this.store(transaction, candidate);
    const record = toAcceptedRecord(batch);
    await this.keepAnswer(transaction, candidate, record);
    return { kind: 'stored', batch, record };
  }

  private async takeKey(
    transaction: Transaction,
    { batch: { id, accountId }, idempotency }: BatchCandidate,
  ): Promise<StoredKey | undefined> {
    if (!idempotency) return undefined;
    const [earlier] = await this.keys.take(transaction, [{ ...idempotency, accountId, subjectId: id }]);
    return earlier;
  }

  private async store(transaction: Transaction, { batch, spool }: BatchCandidate): Promise<Batch> {
    const { id, accountId, queued } = batch;
    // Before the rows are stored in vain.
    const { period, available } = await this.usage.readAllowance(transaction, accountId);
    if (available < queued) throw allowanceExhausted(queued, available);
    const stored = await this.batches.add(transaction, batch);
    for await (const lines of spool.read()) {
      await this.rows.addAll(transaction, lines, { period, createdAt: stored.createdAt });
    }
    if (queued === 0) return stored;
    const reserved = await this.usage.reserve(transaction, accountId, queued);
    // The month has turned, or the operator has changed the account, since the rows were begun.
    if (reserved !== period) await this.rows.moveToPeriod(transaction, id, reserved);
    await this.rows.announce(transaction, id);
    return stored;
  }

  private async keepAnswer(
    transaction: Transaction,
    { batch: { accountId }, idempotency, faults }: BatchCandidate,
    record: BatchRecord,
  ): Promise<void> {
    if (!idempotency) return;
    const answer: KeptAnswer = { record, faults };
    await this.keys.keepAnswers(transaction, [{ accountId, key: idempotency.key, answer }]);
  }
}
