import { Injectable } from '@nestjs/common';
import {
  AcceptanceTransactionService,
  assertSameRequest,
  BatchRowRepository,
  ComparisonCheckService,
  subjectIsGone,
  type BatchOrigin,
} from '@app/jobs';
import { ConcurrencyLimit, newId } from '@app/kernel';
import { UsageService } from '@app/usage';
import { BatchRepository } from '../batch.repository.js';
import { isBad, type CheckedRow } from '../parsing/row-checker.js';
import {
  BatchIntakeService,
  type BatchIntakeOutcome,
  type SpooledBatch,
  type StoredAnswer,
} from './batch-intake.service.js';
import type { AcceptedBatch, BatchOutcome, BatchRequest, DryRunReport } from './batch-request.js';
import { comparableRows } from './comparable-rows.js';
import { errorOf, RowCount } from './row-count.js';
import { Spool } from './spool.js';

/** Batches stored at once: each holds a connection of the pool while its rows are stored or a twin is awaited. */
const STORED_AT_ONCE = 2;

/** Accepts batches. */
@Injectable()
export class BatchAcceptanceService {
  private readonly storing = new ConcurrencyLimit(STORED_AT_ONCE);

  constructor(
    private readonly transactions: AcceptanceTransactionService,
    private readonly intake: BatchIntakeService,
    private readonly rows: BatchRowRepository,
    private readonly batches: BatchRepository,
    private readonly usage: UsageService,
    private readonly comparisons: ComparisonCheckService,
  ) {}

  /**
   * Reads all rows, then stores all of them in one transaction, or reports what would be stored. Until then the rows are
   * spooled on disk rather than kept in memory. When this rejects, nothing is stored, not even the Idempotency-Key.
   *
   * @throws AppError `invalid_csv`, `invalid_request`, `payload_too_large`, `storage_unavailable`,
   * `allowance_exhausted`, `idempotency_mismatch`, `idempotency_in_flight`, `overloaded`, `result_expired` if a repeated
   * request's batch is deleted, and whatever reading the rows rejects with
   */
  submit(request: BatchRequest): Promise<BatchOutcome> {
    return Spool.with(async (spool) => {
      const batchId = newId();
      const count = await this.spoolRows(batchId, request, spool);
      count.assertAny();
      if (request.dryRun) return { kind: 'dry_run', report: await this.report(request, count) };
      if (request.onInvalid === 'reject' && count.rejected > 0) throw count.toError(request.kind);
      return this.store(toSpooledBatch(batchId, request, { count, spool }));
    });
  }

  private async spoolRows(batchId: string, request: BatchRequest, spool: Spool): Promise<RowCount> {
    const { accountId, requestId, rows } = request;
    const count = new RowCount();
    for await (const row of comparableRows(rows, accountId, this.comparisons)) {
      count.add(row);
      await spool.add(this.toLine({ id: batchId, accountId, requestId }, row));
    }
    return count;
  }

  private toLine(batch: BatchOrigin, row: CheckedRow): string {
    return isBad(row)
      ? this.rows.toRejectedLine(batch, { ...row, error: errorOf(row) })
      : this.rows.toLine(batch, row.row, row.options);
  }

  private async report({ accountId, onInvalid }: BatchRequest, count: RowCount): Promise<DryRunReport> {
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

  private async store(spooled: SpooledBatch): Promise<AcceptedBatch> {
    const { idempotency, faults } = spooled;
    const outcome = await this.storing.run(() =>
      this.transactions.ofOneRequest(idempotency, (transaction) => this.intake.take(transaction, spooled)),
    );
    if (outcome.kind === 'repeated') return this.replay(spooled, outcome);
    return { ...outcome, kind: 'accepted', faults, replayed: false };
  }

  private async replay(
    { batch: { accountId }, idempotency }: SpooledBatch,
    { earlier }: BatchIntakeOutcome & { kind: 'repeated' },
  ): Promise<AcceptedBatch> {
    assertSameRequest(earlier, idempotency?.fingerprint);
    const batch = await this.batches.findOfAccount(accountId, earlier.subjectId);
    const answer = earlier.answer as StoredAnswer | null;
    if (!batch || !answer) throw subjectIsGone();
    return { kind: 'accepted', batch, ...answer, replayed: true };
  }
}

function toSpooledBatch(
  id: string,
  { accountId, retryOf, webhookUrl, requestId, idempotency }: BatchRequest,
  { count, spool }: { count: RowCount; spool: Spool },
): SpooledBatch {
  const { total, rejected, valid: queued, faults } = count;
  const batch = { id, accountId, retryOf, webhookUrl, requestId, total, rejected, queued };
  return { batch, spool, faults, idempotency: idempotency?.() };
}
