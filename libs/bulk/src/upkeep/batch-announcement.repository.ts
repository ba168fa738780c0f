import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import type { Transaction } from '@app/database';
import { Batch } from '../batch.entity.js';

/** A finished batch that has a webhook. */
export type EndedBatch = Batch & { readonly webhookUrl: string };

/** The finished batches whose end is not announced yet. */
@Injectable()
export class BatchAnnouncementRepository {
  /** Locks the oldest of them, except for those that another process is announcing. */
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
