import { Injectable } from '@nestjs/common';
import { DatabaseService, NotificationsService } from '@app/database';
import { WebhooksService } from '@app/webhooks';
import { toBatchRecord, type BatchRecord } from '../batch-record.js';
import type { Batch } from '../batch.entity.js';
import { BATCH_FINISHED } from '../batch-state.js';
import { BatchAnnouncementRepository } from './batch-announcement.repository.js';

/** Batches that one transaction announces. */
const CHUNK = 50;

/**
 * Writes the end of each batch with a webhook into the outbox, exactly once: the event and `announced_at` are written in
 * one transaction. It is not the transaction that ends the last row, because a database trigger ends the batch there.
 */
@Injectable()
export class BatchAnnouncerService {
  constructor(
    private readonly database: DatabaseService,
    private readonly unannounced: BatchAnnouncementRepository,
    private readonly webhooks: WebhooksService,
    private readonly notifications: NotificationsService,
  ) {}

  /** Calls `onEnd` when a batch has ended. A notification may be lost, so announcers also poll. */
  listen(onEnd: () => void): Promise<void> {
    this.notifications.onConnected(onEnd);
    return this.notifications.listen(BATCH_FINISHED, onEnd);
  }

  /** Announces all ends that are not announced yet. Returns their number. */
  async announceAll(signal: AbortSignal): Promise<number> {
    let announced = 0;
    for (let some = CHUNK; some === CHUNK && !signal.aborted; announced += some) {
      some = await this.announceChunk();
    }
    return announced;
  }

  private announceChunk(): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const batches = await this.unannounced.lock(transaction, CHUNK);
      if (batches.length === 0) return 0;
      for (const batch of batches) {
        const { id: subjectId, accountId, webhookUrl: url, status, traceContext } = batch;
        const event = { accountId, subjectId, url, traceContext, data: recordAtEnd(batch) };
        await this.webhooks.announce(transaction, { ...event, type: `batch.${status}` });
      }
      await this.unannounced.markAnnounced(
        transaction,
        batches.map(({ id }) => id),
      );
      return batches.length;
    });
  }
}

/** Without `webhook`, because an event cannot describe its own delivery. */
function recordAtEnd(batch: Batch): Omit<BatchRecord, 'webhook'> {
  const { webhook: _, ...record } = toBatchRecord(batch, { etaS: 0, webhook: null });
  return record;
}
