import { Injectable } from '@nestjs/common';
import { BatchesService } from '@app/bulk';
import { DatabaseService } from '@app/database';
import { AppError } from '@app/kernel';
import { CrawlRecordsService } from './crawl-records.service.js';
import { CrawlRepository } from './crawl.repository.js';

/** Cancels crawls. */
@Injectable()
export class CrawlCancellationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly crawls: CrawlRepository,
    private readonly records: CrawlRecordsService,
    private readonly batches: BatchesService,
  ) {}

  /**
   * Cancels the search and its captures that have not ended. Canceling a canceled crawl again changes nothing.
   *
   * @throws AppError `not_found`, `job_finished`
   */
  async cancel(accountId: string, id: string): Promise<void> {
    const { state, batchId } = await this.records.find(accountId, id);
    if (state === 'canceled') return;
    if (state === 'completed' || state === 'failed') throw isOver(state);
    // The crawl follows its batch: a process that is killed in between leaves that to the next step of the crawl.
    if (batchId !== null) await this.batches.cancel(accountId, batchId);
    const ended = await this.database.transaction((transaction) => {
      return this.crawls.end(transaction, id, { state: 'canceled' });
    });
    const now = ended ? 'canceled' : (await this.records.find(accountId, id)).state;
    if (now !== 'canceled') throw isOver(now);
  }
}

function isOver(state: string): AppError {
  return new AppError('job_finished', { detail: `The crawl is ${state}.` });
}
