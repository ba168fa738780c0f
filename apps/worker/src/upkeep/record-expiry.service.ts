import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { DatabaseService } from '@app/database';
import { IdempotencyKeyRepository, JobExpiryRepository, type AgedRecord } from '@app/jobs';
import { WebhooksService } from '@app/webhooks';
import { CaptureFilesService } from '../captures/capture-files.service.js';
import { forEach, inPages } from './pages.js';

/** A finished delivery is kept for the log in the record of its job, and so that it can be replayed. */
const DELIVERIES_TTL_S = 30 * 86_400;

/** Deletes records of captures that nothing needs any more, their Idempotency-Keys and their deliveries. */
@Injectable()
export class RecordExpiryService {
  constructor(
    private readonly database: DatabaseService,
    private readonly jobs: JobExpiryRepository,
    private readonly files: CaptureFilesService,
    private readonly keys: IdempotencyKeyRepository,
    private readonly webhooks: WebhooksService,
    private readonly env: Env,
  ) {}

  /** A record outlives its Idempotency-Key, so that no key refers to a deleted record. */
  async deleteKeys(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.keys.purge()) > 0);
  }

  async deleteDeliveries(signal: AbortSignal): Promise<void> {
    const ttlS = Math.min(this.env.RECORD_TTL_S, DELIVERIES_TTL_S);
    while (!signal.aborted && (await this.webhooks.purge(ttlS)) > 0);
  }

  async deleteRecords(signal: AbortSignal): Promise<void> {
    await inPages<AgedRecord>(
      (page) => this.jobs.listAgedRecords(this.env.RECORD_TTL_S, page),
      (aged) => this.deleteDue(aged.filter(({ isDue }) => isDue)),
      signal,
    );
  }

  private async deleteDue(due: readonly AgedRecord[]): Promise<void> {
    // The files first: without the row, nothing knows their names.
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
