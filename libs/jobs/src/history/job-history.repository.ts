import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { cursorAfter, pageOfRows, type ListPage } from '@app/kernel';
import { Job } from '../job/job.entity.js';
import { pageQuery, type PageQuery, type PageRequest } from './history-page.js';
import { searchQuery, type JobSearch, type SearchedRow } from './history-search.js';

export type JobPage = ListPage<Job>;

/** Lists the jobs of an account, newest first. A page costs the same at any depth and with any filter (history-page.ts). */
@Injectable()
export class JobHistoryRepository {
  constructor(private readonly source: DataSource) {}

  async list(accountId: string, filter: JobSearch, { limit, cursor }: PageRequest): Promise<JobPage> {
    const request = { limit: limit + 1, cursor };
    if (filter.contains !== undefined) return this.search(searchQuery(accountId, filter, request), limit);
    return pageOfRows(
      await this.read(pageQuery(accountId, filter, request)),
      limit,
      ({ createdAt }) => createdAt,
    );
  }

  private async search({ sql, parameters }: PageQuery, limit: number): Promise<JobPage> {
    const [statement, values] = this.source.driver.escapeQueryWithParameters(sql, parameters);
    const found: SearchedRow[] = await this.source.query(statement, values);
    const matches = found.filter(({ is_match: isMatch }) => isMatch);
    const ids = matches.slice(0, limit).map(({ id }) => id);
    const items = await this.read({ sql: 'SELECT unnest(:ids::uuid[])', parameters: { ids } });
    const last =
      matches.length > limit ? matches[limit - 1] : found.find(({ is_match: isMatch }) => !isMatch);
    return { items, nextCursor: last ? cursorAfter(last.id, last.created_at) : null };
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
