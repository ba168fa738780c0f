import { Injectable } from '@nestjs/common';
import { restoreOptions, type CaptureOptions, type Format } from '@app/capture';
import type { Transaction } from '@app/database';
import { newId, type ErrorBody } from '@app/kernel';
import type { CacheDemand } from '../cache/cache-demand.service.js';
import { NewJobFactory } from '../acceptance/new-job.factory.js';
import { COLUMNS, ROW_COLUMNS, ROW_VALUES, toRow, type JobOrigin } from '../acceptance/new-job.js';
import { sendSignal } from '../signals/signals.js';

/** What all rows of a batch share. */
export interface BatchOrigin {
  readonly id: string;
  readonly accountId: string;
  readonly requestId?: string | undefined;
}

/** A row that was not valid, as its record shows it. */
export interface RejectedRow {
  readonly row: number;
  readonly error: ErrorBody;
  readonly url?: string | undefined;
  readonly reference?: string | undefined;
  readonly format?: Format | undefined;
}

/** The columns that a rejected row has by default. */
const { format: DEFAULT_FORMAT, timeout_ms: DEFAULT_TIMEOUT_MS } = restoreOptions({}, null);

/**
 * Stores the rows of batches as jobs, thousands in a transaction. Rows are serialised to lines of JSON first. The lines can
 * be spooled until all rows are checked, and PostgreSQL parses them itself.
 */
@Injectable()
export class BatchRowRepository {
  constructor(private readonly newJobs: NewJobFactory) {}

  /** Prepares `toLine` for the rows of one batch. */
  prepare(): Promise<void> {
    return this.newJobs.refresh();
  }

  /**
   * The line of a row to run, with its secrets sealed, and what the row asks of the cache. Rows run in the order in which
   * they were passed to this method.
   *
   * @throws AppError `target_forbidden`; `unavailable` when no worker knows its options
   */
  toLine(
    batch: BatchOrigin,
    row: number,
    options: CaptureOptions,
  ): { line: string; cache: CacheDemand | null } {
    const job = this.newJobs.make(originOf(batch, row), options);
    return { line: JSON.stringify(toRow(job)), cache: job.cache };
  }

  /** The line of a row that was not valid. */
  toRejectedLine(batch: BatchOrigin, { row, error, url, reference, format }: RejectedRow): string {
    const given = toRow({
      ...originOf(batch, row),
      id: newId(),
      url: url ?? null,
      host: (url === undefined ? null : URL.parse(url)?.hostname) ?? null,
      format: format ?? DEFAULT_FORMAT,
      otherExtensions: null,
      options: {},
      defaultNames: null,
      secrets: null,
      needs: null,
      reference: reference ?? null,
      timeoutMs: DEFAULT_TIMEOUT_MS,
      captureKey: null,
      traceContext: null,
      cache: null,
    });
    return JSON.stringify({ ...given, error });
  }

  /** Inserts the rows of these lines, all with the same `createdAt`, so that their ids order them. */
  async addAll(
    transaction: Transaction,
    lines: string,
    { period, createdAt }: { period: string; createdAt: Date },
  ): Promise<void> {
    await transaction.query(
      `INSERT INTO jobs (${COLUMNS}, status, error, error_code, usage_period, created_at, finished_at)
       SELECT ${ROW_VALUES}, CASE WHEN error IS NULL THEN 'queued' ELSE 'failed' END, error, error->>'code', $2,
              $3::timestamptz, CASE WHEN error IS NOT NULL THEN $3::timestamptz END
         FROM json_to_recordset($1) AS input (${ROW_COLUMNS}, error jsonb)`,
      // JSON escapes line breaks, so that each one in the text ends a line.
      [`[${lines.trimEnd().replaceAll('\n', ',')}]`, period, createdAt],
    );
  }

  /** Moves the rows of a batch that is still being stored to another period of the allowance. */
  async moveToPeriod(transaction: Transaction, batchId: string, period: string): Promise<void> {
    await transaction.query(`UPDATE jobs SET usage_period = $2 WHERE batch_id = $1`, [batchId, period]);
  }

  /** Notifies the dispatchers once the transaction commits. */
  signalWaiting(transaction: Transaction, batchId: string): Promise<void> {
    return sendSignal(transaction, 'waiting', [batchId]);
  }
}

function originOf({ id, accountId, requestId }: BatchOrigin, row: number): JobOrigin {
  return {
    accountId,
    source: 'batch',
    webhookUrl: null,
    requestId: requestId ?? null,
    batchId: id,
    batchRow: row,
  };
}
