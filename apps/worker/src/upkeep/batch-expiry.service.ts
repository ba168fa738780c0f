import { Injectable } from '@nestjs/common';
import { BatchExpiryRepository } from '@app/bulk';
import { Env } from '@app/config';
import { DatabaseService } from '@app/database';
import { WebhooksService } from '@app/webhooks';

/** Records that one transaction deletes. */
const CHUNK = 500;

/** Deletes the record of a batch once the records of all its rows are deleted, and the deliveries about it. */
@Injectable()
export class BatchExpiryService {
  constructor(
    private readonly database: DatabaseService,
    private readonly batches: BatchExpiryRepository,
    private readonly webhooks: WebhooksService,
    private readonly env: Env,
  ) {}

  async deleteRecords(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.deleteChunk()) === CHUNK);
  }

  /** Returns how many it deleted. */
  private async deleteChunk(): Promise<number> {
    const ids = await this.batches.listDue(this.env.RECORD_TTL_S, CHUNK);
    if (ids.length === 0) return 0;
    await this.database.transaction(async (transaction) => {
      await this.webhooks.forget(transaction, ids);
      await this.batches.delete(transaction, ids);
    });
    return ids.length;
  }
}
