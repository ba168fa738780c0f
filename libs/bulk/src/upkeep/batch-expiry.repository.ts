import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Transaction } from '@app/database';
import { Batch } from '../batch.entity.js';

/** The end of the records of batches: a batch goes behind the last of its rows. */
@Injectable()
export class BatchExpiryRepository {
  constructor(private readonly source: DataSource) {}

  /** Batches that ended longer ago than `ttlS`, whose rows are all deleted and whose end was told if it is to be. */
  async listDue(ttlS: number, limit: number): Promise<string[]> {
    const rows: { id: string }[] = await this.source.query(
      `SELECT id FROM batches
        WHERE finished_at < now() - $1 * interval '1 s' AND (webhook_url IS NULL OR announced_at IS NOT NULL)
          AND NOT EXISTS (SELECT FROM jobs WHERE batch_id = batches.id)
        ORDER BY finished_at, id LIMIT $2`,
      [ttlS, limit],
    );
    return rows.map(({ id }) => id);
  }

  async delete(transaction: Transaction, ids: readonly string[]): Promise<void> {
    await transaction.getRepository(Batch).delete({ id: In([...ids]) });
  }
}
