import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { pageOfRows, type ListPage } from '@app/kernel';
import type { PageRequest } from '@app/jobs';
import { Batch } from './batch.entity.js';
import type { BatchStatus } from './batch-state.js';

/** The filter of a list of batches. */
export interface BatchFilter {
  readonly status?: BatchStatus | undefined;
  /** Exclusive, in the format of RFC 3339. */
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
}

export type BatchPage = ListPage<Batch>;

/** The condition of each filter. The indexes of the table begin with the account, and with the account and the status. */
const CONDITIONS = {
  status: 'batch.status = :status',
  createdAfter: 'batch.created_at > :createdAfter::timestamptz',
  createdBefore: 'batch.created_at < :createdBefore::timestamptz',
} satisfies Record<keyof BatchFilter, string>;

/** Lists the batches of an account, newest first. A page costs the same at any depth. */
@Injectable()
export class BatchHistoryRepository {
  constructor(private readonly source: DataSource) {}

  async list(accountId: string, filter: BatchFilter, { limit, cursor }: PageRequest): Promise<BatchPage> {
    const query = this.source
      .createQueryBuilder(Batch, 'batch')
      .where('batch.account_id = :accountId', { accountId })
      .orderBy('batch.createdAt', 'DESC')
      .addOrderBy('batch.id', 'DESC')
      .limit(limit + 1);
    for (const [name, condition] of Object.entries(CONDITIONS)) {
      const value = filter[name as keyof BatchFilter];
      if (value !== undefined) query.andWhere(condition, { [name]: value });
    }
    if (cursor) {
      query.andWhere(
        '(batch.created_at, batch.id) < (to_timestamp(:cursorMs::float8 / 1000), :cursorId::uuid)',
        { cursorMs: cursor.createdAtMs, cursorId: cursor.id },
      );
    }
    return pageOfRows(await query.getMany(), limit, ({ createdAt }) => createdAt);
  }
}
