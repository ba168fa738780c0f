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

  /** queued | running → canceled; false when it is over already. Its jobs are canceled in the same transaction. */
  async cancel(transaction: Transaction, id: string): Promise<boolean> {
    const { affected } = await transaction
      .getRepository(Batch)
      .update({ id, status: In([...UNFINISHED]) }, { status: 'canceled' });
    return affected === 1;
  }
}
