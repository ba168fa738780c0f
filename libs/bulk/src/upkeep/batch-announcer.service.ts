import { Injectable } from '@nestjs/common';
import { DatabaseService, NotificationsService } from '@app/database';
import { WebhooksService } from '@app/webhooks';
import { toBatchRecord, type BatchRecord } from '../batch-record.js';
import type { Batch } from '../batch.entity.js';
import { BATCH_FINISHED } from '../following/batch-finished.js';
import { BatchAnnouncementRepository } from './batch-announcement.repository.js';

/** Ends that one transaction announces. */
const AT_ONCE = 50;

/**
 * Puts the end of each batch with a webhook into the outbox, exactly once: the event and the note of it are one
 * transaction. Not in the transaction that ends the last row, which is a statement of the database's own trigger.
 */
@Injectable()
export class BatchAnnouncerService {
  constructor(
    private readonly database: DatabaseService,
    private readonly unannounced: BatchAnnouncementRepository,
    private readonly webhooks: WebhooksService,
    private readonly notifications: NotificationsService,
  ) {}

  /** Calls back whenever a batch has ended; a call may be missed, so announcers also poll. */
  listen(ended: () => void): Promise<void> {
    this.notifications.onConnected(ended);
    return this.notifications.listen(BATCH_FINISHED, ended);
  }

  /** Announces the ends that there are; how many it were. */
  async announceAll(signal: AbortSignal): Promise<number> {
    let announced = 0;
    for (let some = AT_ONCE; some === AT_ONCE && !signal.aborted; announced += some) {
      some = await this.announceSome();
    }
    return announced;
  }

  private announceSome(): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const batches = await this.unannounced.lock(transaction, AT_ONCE);
      if (batches.length === 0) return 0;
      for (const batch of batches) {
        const { id: subjectId, accountId, webhookUrl: url, status } = batch;
        const data = recordAtEnd(batch);
        await this.webhooks.announce(transaction, {
          accountId,
          subjectId,
          url,
          type: `batch.${status}`,
          data,
        });
      }
      await this.unannounced.markAnnounced(
        transaction,
        batches.map(({ id }) => id),
      );
      return batches.length;
    });
  }
}

/** Without `webhook`: where this very event stands is not known before it has come. */
function recordAtEnd(batch: Batch): Omit<BatchRecord, 'webhook'> {
  const { webhook: _, ...record } = toBatchRecord(batch, { etaS: 0, webhook: null });
  return record;
}
