import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import type { CacheDemand } from '../cache/cache-demand.service.js';
import { CacheLookupRepository } from '../cache/cache-lookup.repository.js';
import { CachedAnswersService } from '../cache/cached-answers.service.js';

/** The rows of a new batch that the cache has answered. */
export interface AnsweredRows {
  readonly rows: number;
  /** The captures that answered although they were stale. */
  readonly staleIds: readonly string[];
}

/** Answers rows of batches from the cache. */
@Injectable()
export class AnsweredRowsService {
  constructor(
    private readonly lookup: CacheLookupRepository,
    private readonly answers: CachedAnswersService,
  ) {}

  /** How many rows with these demands the cache would answer now. */
  count(accountId: string, demands: readonly CacheDemand[]): Promise<number> {
    return this.lookup.count(accountId, demands);
  }

  /** queued → succeeded for the rows that the cache answers. The same transaction has inserted them. */
  async answer(transaction: Transaction, batchId: string): Promise<AnsweredRows> {
    const found = await this.lookup.findForBatch(transaction, batchId);
    const ended = await this.answers.give(transaction, found);
    const stale = found.filter(({ jobId, status }) => status === 'stale' && ended.has(jobId));
    return { rows: ended.size, staleIds: [...new Set(stale.map(({ captureId }) => captureId))] };
  }
}
