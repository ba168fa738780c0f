import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Job, type JobStatus } from '@app/jobs';
import { encodeRowCursor } from './row-cursor.js';

export interface ResultsRequest {
  readonly status?: JobStatus;
  readonly limit: number;
  /** The row after which the page begins. */
  readonly after?: number;
}

export interface ResultsPage {
  readonly items: Job[];
  readonly nextCursor: string | null;
}

/** The jobs of a batch in row order, however far they are. A page starts in an index, at its row. */
@Injectable()
export class BatchResultsRepository {
  constructor(private readonly source: DataSource) {}

  async list(batchId: string, { status, limit, after = 0 }: ResultsRequest): Promise<ResultsPage> {
    const query = this.source
      .createQueryBuilder(Job, 'job')
      .where('job.batch_id = :batchId AND job.batch_row > :after AND NOT job.record_deleted', {
        batchId,
        after,
      })
      .orderBy('job.batchRow')
      // One more than asked for: whether there is a next page.
      .limit(limit + 1);
    if (status) query.andWhere('job.status = :status', { status });
    const jobs = await query.getMany();
    const items = jobs.slice(0, limit);
    const row = items.at(-1)?.batchRow ?? null;
    return { items, nextCursor: jobs.length > limit && row !== null ? encodeRowCursor(row) : null };
  }
}
