import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { restoreOptions, type CaptureOptions } from '@app/capture';
import type { Transaction } from '@app/database';
import { newId, SecretBox, type ErrorBody } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import { COLUMNS, ROW_COLUMNS, ROW_VALUES, toNewJob, toRow, type JobOrigin } from '../acceptance/new-job.js';
import { Job } from '../job/job.entity.js';
import { sendSignal } from '../signals/signals.js';

/** What the rows of a batch have in common. */
export interface BatchOrigin {
  readonly id: string;
  readonly accountId: string;
  readonly requestId?: string | undefined;
}

/** A row that was not valid, for its record. */
export interface RejectedRow {
  readonly row: number;
  readonly error: ErrorBody;
  readonly url?: string | undefined;
  readonly reference?: string | undefined;
}

/** A row that has failed, as far as it is needed to try it again. */
export type FailedRow = Pick<Job, 'batchRow' | 'options'>;

/** What a row has that does not say it. */
const { format: DEFAULT_FORMAT, timeout_ms: DEFAULT_TIMEOUT_MS } = restoreOptions({}, null);

/**
 * Stores the rows of batches as jobs: thousands in a transaction. They are first written as lines of JSON, which may be
 * set aside until all of them are there, and which the database reads as they are.
 */
@Injectable()
export class BatchRowRepository {
  constructor(
    private readonly source: DataSource,
    private readonly guard: EgressGuard,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * A row that is to run, its secrets sealed. Rows run in the order in which they were given to this.
   *
   * @throws AppError `target_forbidden`
   */
  toLine(batch: BatchOrigin, row: number, options: CaptureOptions): string {
    const tools = { guard: this.guard, secretBox: this.secretBox };
    return JSON.stringify(toRow(toNewJob(originOf(batch, row), options, tools)));
  }

  /** A row that has failed before it could run. */
  toRejectedLine(batch: BatchOrigin, { row, error, url, reference }: RejectedRow): string {
    const given = toRow({
      ...originOf(batch, row),
      id: newId(),
      url: url ?? null,
      host: (url === undefined ? null : URL.parse(url)?.hostname) ?? null,
      format: DEFAULT_FORMAT,
      options: {},
      secrets: null,
      reference: reference ?? null,
      timeoutMs: DEFAULT_TIMEOUT_MS,
    });
    return JSON.stringify({ ...given, error });
  }

  /** Stores rows, all as accepted at `createdAt`: their order is that of their ids. */
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
      // No line has a line break in it: JSON has none but between values.
      [`[${lines.trimEnd().replaceAll('\n', ',')}]`, period, createdAt],
    );
  }

  /** Moves rows that nobody has seen yet to another period of the allowance. */
  async moveToPeriod(transaction: Transaction, batchId: string, period: string): Promise<void> {
    await transaction.query(`UPDATE jobs SET usage_period = $2 WHERE batch_id = $1`, [batchId, period]);
  }

  /** Tells the dispatchers, when and if the transaction commits. */
  announce(transaction: Transaction, batchId: string): Promise<void> {
    return sendSignal(transaction, 'waiting', [batchId]);
  }

  /** Rows of a batch that have failed, by their numbers; rejected and deleted ones aside, which cannot be run again. */
  listFailed(batchId: string, afterRow: number, limit: number): Promise<FailedRow[]> {
    return this.source
      .getRepository(Job)
      .createQueryBuilder('job')
      .select(['job.id', 'job.batchRow', 'job.options'])
      .where({ batchId, status: 'failed', batchRow: MoreThan(afterRow) })
      .andWhere(`NOT (job.attempt = 0 AND job.error_code = 'invalid_request') AND job.deleted_at IS NULL`)
      .orderBy('job.batchRow')
      .limit(limit)
      .getMany();
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
