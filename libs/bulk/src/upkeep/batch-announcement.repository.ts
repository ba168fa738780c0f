import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import type { Transaction } from '@app/database';
import { Batch } from '../batch.entity.js';

/** A batch whose end is to be told. */
export type EndedBatch = Batch & { readonly webhookUrl: string };

/** Ends of batches that are to be told and that nobody was told of yet. */
@Injectable()
export class BatchAnnouncementRepository {
  /** The first of them, locked; those that another process is about to announce are left to it. */
  lock(transaction: Transaction, limit: number): Promise<EndedBatch[]> {
    return transaction.getRepository(Batch).find({
      where: { finishedAt: Not(IsNull()), webhookUrl: Not(IsNull()), announcedAt: IsNull() },
      order: { finishedAt: 'ASC' },
      take: limit,
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    }) as Promise<EndedBatch[]>;
  }

  async markAnnounced(transaction: Transaction, ids: readonly string[]): Promise<void> {
    await transaction
      .getRepository(Batch)
      .update({ id: In([...ids]) }, { announcedAt: () => 'clock_timestamp()' });
  }
}
