import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { encodeCursor } from '@app/kernel';
import { Job } from '../job/job.entity.js';
import { pageQuery, type PageQuery, type PageRequest } from './history-page.js';
import { searchQuery, type JobSearch, type SearchedRow } from './history-search.js';

export interface JobPage {
  readonly items: Job[];
  readonly nextCursor: string | null;
}

/** Lists the jobs of an account, newest first. A page costs the same at any depth and with any filter (history-page.ts). */
@Injectable()
export class JobHistoryRepository {
  constructor(private readonly source: DataSource) {}

  async list(accountId: string, filter: JobSearch, { limit, cursor }: PageRequest): Promise<JobPage> {
    // One row more than requested shows whether there is a next page.
    const request = { limit: limit + 1, cursor };
    if (filter.contains !== undefined) return this.search(searchQuery(accountId, filter, request), limit);
    const jobs = await this.read(pageQuery(accountId, filter, request));
    const items = jobs.slice(0, limit);
    const last = items.at(-1);
    return { items, nextCursor: jobs.length > limit && last ? cursorAt(last) : null };
  }

  private async search({ sql, parameters }: PageQuery, limit: number): Promise<JobPage> {
    const [statement, values] = this.source.driver.escapeQueryWithParameters(sql, parameters);
    const found: SearchedRow[] = await this.source.query(statement, values);
    const matches = found.filter(({ is_match: isMatch }) => isMatch);
    const ids = matches.slice(0, limit).map(({ id }) => id);
    const items = await this.read({ sql: 'SELECT unnest(:ids::uuid[])', parameters: { ids } });
    const last =
      matches.length > limit ? matches[limit - 1] : found.find(({ is_match: isMatch }) => !isMatch);
    return { items, nextCursor: last ? cursorAt({ id: last.id, createdAt: last.created_at }) : null };
  }

  private read({ sql, parameters }: PageQuery): Promise<Job[]> {
    return this.source
      .createQueryBuilder(Job, 'job')
      .where(`job.id = ANY(ARRAY(${sql}))`, parameters)
      .orderBy('job.createdAt', 'DESC')
      .addOrderBy('job.id', 'DESC')
      .getMany();
  }
}

function cursorAt({ createdAt, id }: Pick<Job, 'createdAt' | 'id'>): string {
  return encodeCursor({ createdAtMs: createdAt.getTime(), id });
}
