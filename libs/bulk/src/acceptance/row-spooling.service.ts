import { Injectable } from '@nestjs/common';
import { BatchRowRepository, ComparisonCheckService, type BatchOrigin, type CacheDemand } from '@app/jobs';
import { SessionUsesService } from '@app/sessions';
import { isBad, type CheckedRow } from '../parsing/row-checker.js';
import type { BatchRequest } from './batch-request.js';
import { acceptableRows } from './acceptable-rows.js';
import { errorOf, RowCount } from './row-count.js';
import type { Spool } from './spool.js';

/** What is known of the rows of a batch once all are spooled. */
export interface SpooledRows {
  readonly spool: Spool;
  readonly count: RowCount;
  /** What valid rows ask of the cache, for those that do. */
  readonly demands: readonly CacheDemand[];
}

/** Reads the rows of a batch to its spool. */
@Injectable()
export class RowSpoolingService {
  constructor(
    private readonly rows: BatchRowRepository,
    private readonly comparisons: ComparisonCheckService,
    private readonly sessions: SessionUsesService,
  ) {}

  /** Reads all rows, unless so many are bad that the batch is refused whatever follows. */
  async spool(batchId: string, request: BatchRequest, spool: Spool): Promise<SpooledRows> {
    const { accountId, requestId, rows, dryRun, onInvalid } = request;
    const mustBeGood = onInvalid === 'reject' && !dryRun;
    await this.rows.prepare();
    const count = new RowCount(dryRun ? 'every row' : 'first faults');
    const demands: CacheDemand[] = [];
    const { comparisons, sessions } = this;
    for await (const row of acceptableRows(rows, accountId, { comparisons, sessions })) {
      count.add(row);
      if (mustBeGood && count.isBeyondRepair) break;
      // Nothing of the batch will be stored.
      if (mustBeGood && count.rejected > 0) continue;
      const { line, cache } = this.toLine({ id: batchId, accountId, requestId }, row);
      if (cache) demands.push(cache);
      await spool.add(line);
    }
    return { spool, count, demands };
  }

  private toLine(batch: BatchOrigin, row: CheckedRow): { line: string; cache: CacheDemand | null } {
    return isBad(row)
      ? { line: this.rows.toRejectedLine(batch, { ...row, error: errorOf(row) }), cache: null }
      : this.rows.toLine(batch, row.row, row.options);
  }
}
