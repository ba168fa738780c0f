import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BatchRowRepository, ComparisonCheckService, type BatchOrigin, type CacheDemand } from '@app/jobs';
import { SessionUsesService } from '@app/sessions';
import { ROWS_AT_ONCE } from '../limits.js';
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

  /**
   * Reads all rows, unless so many are bad that the batch is refused whatever follows. The rows of a batch that must have no bad row
   * are spooled once all are checked, which costs a small part of what spooling them does.
   */
  async spool(batchId: string, request: BatchRequest, spool: Spool): Promise<SpooledRows> {
    const { accountId, requestId, rows, dryRun, onInvalid } = request;
    const mustBeGood = onInvalid === 'reject' && !dryRun;
    await this.rows.prepare();
    const count = new RowCount(dryRun ? 'every row' : 'first faults');
    const { comparisons, sessions } = this;
    const counted = countedRows(acceptableRows(rows, accountId, { comparisons, sessions }), count);
    const toSpool = mustBeGood ? await collected(counted, count) : counted;
    const demands: CacheDemand[] = [];
    let spooled = 0;
    for await (const row of toSpool) {
      if (++spooled % ROWS_AT_ONCE === 0) await setImmediate();
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

async function* countedRows(rows: AsyncIterable<CheckedRow>, count: RowCount): AsyncGenerator<CheckedRow> {
  for await (const row of rows) {
    count.add(row);
    yield row;
  }
}

/** All rows; none when one of them is bad, because nothing of the batch will be stored. */
async function collected(rows: AsyncIterable<CheckedRow>, count: RowCount): Promise<CheckedRow[]> {
  const good: CheckedRow[] = [];
  for await (const row of rows) {
    if (count.isBeyondRepair) break;
    if (count.rejected === 0) good.push(row);
    else good.length = 0;
  }
  return good;
}
