import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { DatabaseService } from '@app/database';
import { IdempotencyKeyRepository, JobExpiryRepository, type AgedRecord } from '@app/jobs';
import { WebhooksService } from '@app/webhooks';
import { CaptureFilesService } from '../captures/capture-files.service.js';
import { forEach, inPages } from './pages.js';

/** A delivery that is over is of use for the log in its job's record, and for a replay. */
const DELIVERIES_TTL_S = 30 * 86_400;

/** Deletes records of captures when nothing needs them any more, and what goes with them. */
@Injectable()
export class RecordExpiry {
  constructor(
    private readonly database: DatabaseService,
    private readonly jobs: JobExpiryRepository,
    private readonly files: CaptureFilesService,
    private readonly keys: IdempotencyKeyRepository,
    private readonly webhooks: WebhooksService,
    private readonly env: Env,
  ) {}

  /** Idempotency-Keys: a record lives longer than its key, so that none stands for a record that is gone. */
  async purgeKeys(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.keys.purge()) > 0);
  }

  async purgeDeliveries(signal: AbortSignal): Promise<void> {
    const ttlS = Math.min(this.env.RECORD_TTL_S, DELIVERIES_TTL_S);
    while (!signal.aborted && (await this.webhooks.purge(ttlS)) > 0);
  }

  async dropRecords(signal: AbortSignal): Promise<void> {
    await inPages<AgedRecord>(
      (page) => this.jobs.listAgedRecords(this.env.RECORD_TTL_S, page),
      (aged) => this.drop(aged.filter(({ isDue }) => isDue)),
      signal,
    );
  }

  private async drop(due: readonly AgedRecord[]): Promise<void> {
    // The files first: without its row nobody would know their names.
    const { done, fault } = await forEach(due, async (job) => {
      if (job.mayHaveFiles) await this.files.dropAll(job);
    });
    const ids = done.map(({ id }) => id);
    if (ids.length > 0) {
      await this.database.transaction(async (transaction) => {
        await this.webhooks.forget(transaction, ids);
        await this.jobs.deleteRecords(transaction, ids);
      });
    }
    if (fault) throw fault;
  }
}
