import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import type { PageRequest } from '@app/jobs';
import { pageOfRows, type ErrorBody, type ListPage } from '@app/kernel';
import { DataSource, In } from 'typeorm';
import { Crawl } from './crawl.entity.js';
import { NONE_SKIPPED, OPEN_STATES, type CrawlState } from './crawl-state.js';

/** A crawl from its acceptance to its INSERT. */
export type NewCrawl = Pick<Crawl, 'id' | 'accountId' | 'batchId' | 'url' | 'rules' | 'defaults'>;

/** What a step of a crawl changes. */
export type CrawlChange = Partial<
  Pick<Crawl, 'state' | 'stage' | 'sitemaps' | 'discovered' | 'skipped' | 'delayS' | 'error'>
>;

/** The rows of the table `crawls`, as callers and their requests need them. */
@Injectable()
export class CrawlRepository {
  constructor(private readonly source: DataSource) {}

  async add(transaction: Transaction, crawl: NewCrawl): Promise<void> {
    await transaction.getRepository(Crawl).insert({ ...crawl, skipped: NONE_SKIPPED });
  }

  countOpen(transaction: Transaction, accountId: string): Promise<number> {
    return transaction.getRepository(Crawl).countBy({ accountId, state: In([...OPEN_STATES]) });
  }

  find(accountId: string, id: string): Promise<Crawl | null> {
    return this.source.getRepository(Crawl).findOneBy({ id, accountId });
  }

  /** The crawls of an account, newest first. A page costs the same at any depth. */
  async list(
    accountId: string,
    { state }: { readonly state?: CrawlState | undefined },
    { limit, cursor }: PageRequest,
  ): Promise<ListPage<Crawl>> {
    const query = this.source
      .createQueryBuilder(Crawl, 'crawl')
      .where('crawl.account_id = :accountId', { accountId })
      .orderBy('crawl.createdAt', 'DESC')
      .addOrderBy('crawl.id', 'DESC')
      .limit(limit + 1);
    if (state !== undefined) query.andWhere('crawl.state = :state', { state });
    if (cursor) {
      query.andWhere(
        '(crawl.created_at, crawl.id) < (to_timestamp(:cursorMs::float8 / 1000), :cursorId::uuid)',
        {
          cursorMs: cursor.createdAtMs,
          cursorId: cursor.id,
        },
      );
    }
    return pageOfRows(await query.getMany(), limit, ({ createdAt }) => createdAt);
  }

  /** discovering | capturing → the state; false when it has ended already. Its secrets are gone then. */
  async end(
    transaction: Transaction,
    id: string,
    { state, error }: { readonly state: CrawlState; readonly error?: ErrorBody },
  ): Promise<boolean> {
    const { affected } = await transaction
      .createQueryBuilder()
      .update(Crawl)
      .set({ state, defaults: null, finishedAt: () => 'clock_timestamp()', ...(error && { error }) })
      .where({ id, state: In([...OPEN_STATES]) })
      .execute();
    return affected === 1;
  }

  /** Deletes all crawls of an account, so that none captures another page. */
  async deleteAllOf(accountId: string): Promise<void> {
    await this.source.getRepository(Crawl).delete({ accountId });
  }

  /** Deletes crawls that ended more than `ttlS` ago, with their pages. Returns their number. */
  async purge(ttlS: number): Promise<number> {
    const [purged] = await this.source.query<[unknown[], number]>(
      `DELETE FROM crawls WHERE id IN (
         SELECT id FROM crawls WHERE finished_at < now() - $1 * interval '1 s' ORDER BY finished_at LIMIT 20) RETURNING id`,
      [ttlS],
    );
    return purged.length;
  }
}
