import { Injectable } from '@nestjs/common';
import { AcceptanceTransactionService, assertSameRequest, RenewalService, subjectIsGone } from '@app/jobs';
import { ConcurrencyLimit, newId } from '@app/kernel';
import { inSpan, traceContext } from '@app/tracing';
import { BatchRepository } from '../batch.repository.js';
import {
  BatchIntakeService,
  type BatchIntakeOutcome,
  type SpooledBatch,
  type StoredAnswer,
} from './batch-intake.service.js';
import type { AcceptedBatch, BatchOutcome, BatchRequest } from './batch-request.js';
import { DryRunService } from './dry-run.service.js';
import { RowSpoolingService, type SpooledRows } from './row-spooling.service.js';
import { Spool } from './spool.js';

/** Batches stored at once: each holds a connection of the pool while its rows are stored or a twin is awaited. */
const STORED_AT_ONCE = 2;

/** Accepts batches. */
@Injectable()
export class BatchAcceptanceService {
  private readonly storing = new ConcurrencyLimit(STORED_AT_ONCE);

  constructor(
    private readonly transactions: AcceptanceTransactionService,
    private readonly spooling: RowSpoolingService,
    private readonly dryRun: DryRunService,
    private readonly intake: BatchIntakeService,
    private readonly batches: BatchRepository,
    private readonly renewal: RenewalService,
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
    const batchId = newId();
    const facts = { 'capture.batch.id': batchId };
    return inSpan('batch.accept', { kind: 'producer', facts }, () => this.accept(batchId, request));
  }

  private accept(batchId: string, request: BatchRequest): Promise<BatchOutcome> {
    return Spool.with(async (spool) => {
      const rows = await this.spooling.spool(batchId, request, spool);
      const { count } = rows;
      count.assertAny();
      if (request.dryRun) return { kind: 'dry_run', report: await this.dryRun.report(request, rows) };
      if (request.onInvalid === 'reject' && count.rejected > 0) throw count.toError(request.kind);
      return this.store(toSpooledBatch(batchId, request, rows));
    });
  }

  private async store(spooled: SpooledBatch): Promise<AcceptedBatch> {
    const { idempotency, faults } = spooled;
    const outcome = await this.storing.run(() =>
      this.transactions.forOneRequest(idempotency, (transaction) => this.intake.accept(transaction, spooled)),
    );
    if (outcome.kind === 'repeated') return this.replay(spooled, outcome);
    const { batch, record, staleIds } = outcome;
    void this.renewal.renew(staleIds);
    return { kind: 'accepted', batch, record, faults, replayed: false };
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
  { count, spool, demands }: SpooledRows,
): SpooledBatch {
  const { total, rejected, valid: queued, faults } = count;
  const origin = { accountId, retryOf, webhookUrl, requestId, traceContext: traceContext() };
  const batch = { id, ...origin, total, rejected, queued };
  return { batch, spool, demands, faults, idempotency: idempotency?.() };
}
