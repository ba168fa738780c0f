import { Injectable } from '@nestjs/common';
import { BatchExpiryRepository } from '@app/bulk';
import { Env } from '@app/config';
import { DatabaseService } from '@app/database';
import { WebhooksService } from '@app/webhooks';

/** Records that one transaction deletes. */
const AT_ONCE = 500;

/** Deletes the records of batches when those of all their rows are gone, and the deliveries that told of them. */
@Injectable()
export class BatchRecordExpiry {
  constructor(
    private readonly database: DatabaseService,
    private readonly batches: BatchExpiryRepository,
    private readonly webhooks: WebhooksService,
    private readonly env: Env,
  ) {}

  async dropRecords(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.dropSome()) === AT_ONCE);
  }

  private async dropSome(): Promise<number> {
    const ids = await this.batches.listDue(this.env.RECORD_TTL_S, AT_ONCE);
    if (ids.length === 0) return 0;
    await this.database.transaction(async (transaction) => {
      await this.webhooks.forget(transaction, ids);
      await this.batches.delete(transaction, ids);
    });
    return ids.length;
  }
}
