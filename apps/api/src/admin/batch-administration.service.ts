import { Injectable } from '@nestjs/common';
import { AuditRepository, type Actor } from '@app/audit';
import { BatchesService } from '@app/bulk';
import { BatchRecordsService } from '../bulk/batch-records.service.js';
import type { BatchRecord } from '../bulk/batch.response.js';

/** Cancels batches of any account for operators. */
@Injectable()
export class BatchAdministrationService {
  constructor(
    private readonly batches: BatchesService,
    private readonly records: BatchRecordsService,
    private readonly audit: AuditRepository,
  ) {}

  /**
   * Cancels the rows that have not ended. A repeated request changes nothing.
   *
   * @throws AppError `not_found`, `job_finished`
   */
  async cancel(id: string, by: Actor): Promise<BatchRecord> {
    const { accountId, status, queued, running } = await this.batches.findOfAny(id);
    const canceled = await this.batches.cancel(accountId, id, {
      reason: 'operator_request',
      record: (transaction) =>
        this.audit.record(transaction, by, {
          action: 'batch.canceled',
          accountId,
          subjectId: id,
          before: { status, queued, running },
          after: { status: 'canceled' },
        }),
    });
    return this.records.recordOf(canceled);
  }
}
