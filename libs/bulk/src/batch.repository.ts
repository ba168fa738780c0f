import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Transaction } from '@app/database';
import { Batch } from './batch.entity.js';
import { BATCH_FINISHED, UNFINISHED } from './batch-state.js';

/** A batch from its acceptance to its INSERT; `queued` counts the rows to run. */
export interface NewBatch extends Pick<Batch, 'id' | 'accountId' | 'total' | 'rejected' | 'queued'> {
  readonly retryOf?: string | undefined;
  readonly webhookUrl?: string | undefined;
  readonly requestId?: string | undefined;
  readonly traceContext?: string | null;
}

/** Rows that were added to an open batch. */
export interface AddedRows {
  /** To run. */
  readonly queued: number;
  readonly rejected: number;
}

/** The rows of the table `batches`. A trigger of the table `jobs` updates their counts. */
@Injectable()
export class BatchRepository {
  constructor(private readonly source: DataSource) {}

  /** Inserts a batch; its rows follow in the same transaction. A batch without a row to run is completed at once. */
  async add(transaction: Transaction, batch: NewBatch): Promise<Batch> {
    const { id, queued, rejected } = batch;
    const batches = transaction.getRepository(Batch);
    await batches.insert({
      ...batch,
      failed: rejected,
      status: queued > 0 ? 'queued' : 'completed',
      createdAt: () => 'statement_timestamp()',
      ...(queued === 0 && { finishedAt: () => 'statement_timestamp()' }),
    });
    // The trigger notifies only when a row moves.
    if (queued === 0) await transaction.query(`SELECT pg_notify($1, $2)`, [BATCH_FINISHED, id]);
    return this.read(transaction, id);
  }

  /** The batch as the transaction has changed it. */
  read(transaction: Transaction, id: string): Promise<Batch> {
    return transaction.getRepository(Batch).findOneByOrFail({ id });
  }

  /** How many batches of an account are in progress. */
  async countOpen(transaction: Transaction, accountId: string): Promise<number> {
    const [row] = await transaction.query<{ batches: number }[]>(
      `SELECT count(*)::int AS batches FROM batches WHERE account_id = $1 AND status IN ('queued', 'running')`,
      [accountId],
    );
    return row?.batches ?? 0;
  }

  findOfAccount(accountId: string, id: string): Promise<Batch | null> {
    return this.source.getRepository(Batch).findOneBy({ id, accountId });
  }

  /** Lists the batches among these that exist. */
  list(ids: readonly string[]): Promise<Batch[]> {
    return this.source.getRepository(Batch).findBy({ id: In([...ids]) });
  }

  /** Inserts a batch without rows, to which rows are added until it is closed. */
  async open(
    transaction: Transaction,
    batch: Omit<NewBatch, 'total' | 'rejected' | 'queued'>,
  ): Promise<void> {
    await transaction.getRepository(Batch).insert({
      ...batch,
      total: 0,
      isOpen: true,
      status: 'queued',
      createdAt: () => 'statement_timestamp()',
    });
  }

  /** Counts rows that the transaction has added to an open batch; false when it is closed. */
  async grow(transaction: Transaction, id: string, rows: AddedRows): Promise<boolean> {
    const [grown] = await transaction.query<[unknown[], number]>(
      `UPDATE batches SET total = total + $2 + $3, queued = queued + $2, failed = failed + $3, rejected = rejected + $3
        WHERE id = $1 AND is_open AND finished_at IS NULL RETURNING id`,
      [id, rows.queued, rows.rejected],
    );
    return grown.length > 0;
  }

  /** Ends the adding of rows: the batch ends with its last row, or now when none is left. Harmless when it is closed. */
  async close(transaction: Transaction, id: string): Promise<void> {
    await transaction.query(
      `WITH closed AS (
         UPDATE batches SET is_open = false,
                finished_at = CASE WHEN queued + running = 0 THEN clock_timestamp() END,
                status = CASE WHEN queued + running = 0 THEN 'completed' ELSE status END
          WHERE id = $1 AND is_open RETURNING id, finished_at)
       SELECT pg_notify($2, id::text) FROM closed WHERE finished_at IS NOT NULL`,
      [id, BATCH_FINISHED],
    );
  }

  /** Refuses further rows, without ending the batch; false when it was closed. */
  async refuseRows(id: string): Promise<boolean> {
    const { affected } = await this.source
      .getRepository(Batch)
      .update({ id, isOpen: true }, { isOpen: false });
    return affected === 1;
  }

  /** queued | running → canceled; false when it is over already. Its jobs are canceled in the same transaction. */
  async cancel(transaction: Transaction, id: string): Promise<boolean> {
    const [canceled] = await transaction.query<[{ ended: boolean }[], number]>(
      // Only a batch to which no row was added has none that is left.
      `UPDATE batches SET status = 'canceled', finished_at = CASE WHEN queued + running = 0 THEN clock_timestamp() END
        WHERE id = $1 AND status = ANY($2) RETURNING finished_at IS NOT NULL AS ended`,
      [id, UNFINISHED],
    );
    if (canceled[0]?.ended === true)
      await transaction.query(`SELECT pg_notify($1, $2)`, [BATCH_FINISHED, id]);
    return canceled.length > 0;
  }
}
