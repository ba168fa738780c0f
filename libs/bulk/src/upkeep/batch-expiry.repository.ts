import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Transaction } from '@app/database';
import { hasRows } from '@app/jobs';
import { Batch } from '../batch.entity.js';

/** Deletes the records of batches, after those of their rows. */
@Injectable()
export class BatchExpiryRepository {
  constructor(private readonly source: DataSource) {}

  /** Batches that ended more than `ttlS` ago, have no rows any more, and have announced their end if they have a webhook. */
  async listDue(ttlS: number, limit: number): Promise<string[]> {
    const rows: { id: string }[] = await this.source.query(
      `SELECT id FROM batches
        WHERE finished_at < now() - $1 * interval '1 s' AND (webhook_url IS NULL OR announced_at IS NOT NULL)
          AND NOT ${hasRows('batches.id')}
        ORDER BY finished_at, id LIMIT $2`,
      [ttlS, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Deletes the batches of an account, which have no rows any more. */
  async deleteAllOf(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.getRepository(Batch).delete({ accountId });
  }

  async delete(transaction: Transaction, ids: readonly string[]): Promise<void> {
    await transaction.getRepository(Batch).delete({ id: In([...ids]) });
  }
}
