import { Injectable } from '@nestjs/common';
import { AcceptanceTransactionService, assertSameRequest, BatchRowRepository, subjectIsGone } from '@app/jobs';
import { newId } from '@app/kernel';
import { UsageService } from '@app/usage';
import { BatchRepository } from '../batch.repository.js';
import { isBad, type CheckedRow } from '../reading/checked-row.js';
import type { AcceptedBatch, BatchOutcome, BatchRequest, DryRunVerdict } from '../batch-request.js';
import {
  BatchIntakeService,
  type BatchCandidate,
  type BatchVerdict,
  type KeptAnswer,
} from './batch-intake.service.js';
import { errorOf, RowCount } from './row-count.js';
import { Spool } from './spool.js';
import { ConcurrencyLimit } from './concurrency-limit.js';

/** Each holds a connection of the pool for as long as its rows take, and while it waits for a twin. */
const STORED_AT_ONCE = 2;

/** The one way in for batches: everything that must be true before one counts as accepted. */
@Injectable()
export class BatchAcceptanceService {
  private readonly storing = new ConcurrencyLimit(STORED_AT_ONCE);

  constructor(
    private readonly transactions: AcceptanceTransactionService,
    private readonly intake: BatchIntakeService,
    private readonly rows: BatchRowRepository,
    private readonly batches: BatchRepository,
    private readonly usage: UsageService,
  ) {}

  /**
   * Reads the rows to the end and stores all of them, or says what would be stored. Meanwhile they are on the disk, not
   * in memory. When this rejects, nothing is stored, and no Idempotency-Key is kept.
   *
   * @throws AppError `invalid_csv`, `invalid_request`, `payload_too_large`, `storage_unavailable`,
   * `allowance_exhausted`, `idempotency_mismatch`, `idempotency_in_flight`, `overloaded`, `result_expired` of a
   * repeated request whose batch is gone, and what the rows reject with
   */
  submit(submission: BatchRequest): Promise<BatchOutcome> {
    return Spool.with(async (spool) => {
      const batchId = newId();
      const count = await this.setAside(batchId, submission, spool);
      count.assertAny();
      if (submission.dryRun) return { kind: 'verdict', verdict: await this.judge(submission, count) };
      if (submission.onInvalid === 'reject' && count.rejected > 0) throw count.toError(submission.kind);
      return this.store(toCandidate(batchId, submission, { count, spool }));
    });
  }

  private async setAside(batchId: string, submission: BatchRequest, spool: Spool): Promise<RowCount> {
    const { accountId, requestId, rows } = submission;
    const count = new RowCount();
    for await (const row of rows) {
      count.add(row);
      await spool.add(this.lineOf({ id: batchId, accountId, requestId }, row));
    }
    return count;
  }

  private lineOf(batch: Parameters<BatchRowRepository['toLine']>[0], row: CheckedRow): string {
    return isBad(row)
      ? this.rows.toRejectedLine(batch, { ...row, error: errorOf(row) })
      : this.rows.toLine(batch, row.row, row.options);
  }

  private async judge({ accountId, onInvalid }: BatchRequest, count: RowCount): Promise<DryRunVerdict> {
    const { total, valid, rejected, faults: errors } = count;
    const { available } = await this.usage.report(accountId);
    const wouldAccept = (rejected === 0 || onInvalid === 'skip') && valid <= available;
    return {
      dry_run: true,
      would_accept: wouldAccept,
      total,
      valid,
      rejected,
      allowance: { needed: valid, available },
      errors,
    };
  }

  private async store(candidate: BatchCandidate): Promise<AcceptedBatch> {
    const { idempotency, faults } = candidate;
    const verdict = await this.storing.run(() =>
      this.transactions.ofOneRequest(idempotency, (transaction) => this.intake.take(transaction, candidate)),
    );
    if (verdict.kind === 'known') return this.replay(candidate, verdict);
    return { ...verdict, kind: 'accepted', faults, replayed: false };
  }

  private async replay(
    { batch: { accountId }, idempotency }: BatchCandidate,
    { earlier }: BatchVerdict & { kind: 'known' },
  ): Promise<AcceptedBatch> {
    assertSameRequest(earlier, idempotency?.fingerprint);
    const batch = await this.batches.findOfAccount(accountId, earlier.subjectId);
    const answer = earlier.answer as KeptAnswer | null;
    if (!batch || !answer) throw subjectIsGone();
    return { kind: 'accepted', batch, ...answer, replayed: true };
  }
}

function toCandidate(
  id: string,
  { accountId, retryOf, webhookUrl, requestId, idempotency }: BatchRequest,
  { count, spool }: { count: RowCount; spool: Spool },
): BatchCandidate {
  const { total, rejected, valid: queued, faults } = count;
  const batch = { id, accountId, retryOf, webhookUrl, requestId, total, rejected, queued };
  return { batch, spool, faults, idempotency: idempotency?.() };
}
