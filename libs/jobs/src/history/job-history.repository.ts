import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { encodeCursor } from '@app/kernel';
import { Job } from '../job/job.entity.js';
import { pageQuery, type JobFilter, type PageRequest } from './history-page.js';

export interface JobPage {
  readonly items: Job[];
  readonly nextCursor: string | null;
}

/** Lists the jobs of an account, newest first. A page costs the same at any depth and with any filter (history-page.ts). */
@Injectable()
export class JobHistoryRepository {
  constructor(private readonly source: DataSource) {}

  async list(accountId: string, filter: JobFilter, { limit, cursor }: PageRequest): Promise<JobPage> {
    // One row more than requested shows whether there is a next page.
    const { sql, parameters } = pageQuery(accountId, filter, { limit: limit + 1, cursor });
    const jobs = await this.source
      .createQueryBuilder(Job, 'job')
      .where(`job.id = ANY(ARRAY(${sql}))`, parameters)
      .orderBy('job.createdAt', 'DESC')
      .addOrderBy('job.id', 'DESC')
      .getMany();
    const items = jobs.slice(0, limit);
    const last = items.at(-1);
    return { items, nextCursor: jobs.length > limit && last ? cursorAt(last) : null };
  }
}

function cursorAt({ createdAt, id }: Job): string {
  return encodeCursor({ createdAtMs: createdAt.getTime(), id });
}
