import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { newId } from '@app/kernel';
import { DataSource } from 'typeorm';
import { Crawl } from '../crawl.entity.js';
import type { CrawlChange } from '../crawl.repository.js';
import { LeaseLostError } from './lease-lost-error.js';

/** How long a process may work on a crawl without a sign of life. Reading a sitemap renews the lease again and again. */
const LEASE_S = 75;

/** A crawl that this process works on. */
export type LeasedCrawl = Crawl & {
  readonly lease: string;
  /** How long the site wants no visit yet, in ms. */
  readonly pauseMs: number;
};

/** The column `pauseMs` of a row of `crawls`. */
const PAUSE_MS = `ceil(extract(epoch FROM greatest(paused_until - now(), interval '0 s')) * 1000)::int`;

/** Lends crawls to the process that works on them, by the clock of the database. */
@Injectable()
export class CrawlLeaseRepository {
  constructor(private readonly source: DataSource) {}

  /** Takes the crawl that has waited longest for its next step; null when none is due. */
  async claim(): Promise<LeasedCrawl | null> {
    const lease = newId();
    const [claimed] = await this.source.query<[{ id: string; pauseMs: number | null }[], number]>(
      `UPDATE crawls SET lease = $1, leased_until = now() + interval '${LEASE_S} s'
        WHERE id = (
          SELECT id FROM crawls
           WHERE finished_at IS NULL AND next_run_at <= now() AND (leased_until IS NULL OR leased_until < now())
           ORDER BY next_run_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id, ${PAUSE_MS} AS "pauseMs"`,
      [lease],
    );
    const [row] = claimed;
    const crawl = row && (await this.source.getRepository(Crawl).findOneBy({ id: row.id, lease }));
    return crawl ? Object.assign(crawl, { lease, pauseMs: row.pauseMs ?? 0 }) : null;
  }

  /**
   * Locks the crawl for a transaction of a step, renews its lease, and returns it as it is.
   *
   * @throws LeaseLostError
   */
  async hold(transaction: Transaction, { id, lease, pauseMs }: LeasedCrawl): Promise<LeasedCrawl> {
    const [held] = await transaction.query<[unknown[], number]>(
      `UPDATE crawls SET leased_until = now() + interval '${LEASE_S} s'
        WHERE id = $1 AND lease = $2 AND finished_at IS NULL RETURNING id`,
      [id, lease],
    );
    if (held.length === 0) throw new LeaseLostError();
    const crawl = await transaction.getRepository(Crawl).findOneByOrFail({ id });
    return Object.assign(crawl, { lease, pauseMs });
  }

  /** @param crawl that the transaction holds */
  async change(transaction: Transaction, { id }: Pick<Crawl, 'id'>, change: CrawlChange): Promise<void> {
    await transaction.getRepository(Crawl).update({ id }, change);
  }

  /**
   * Captures no page before this many seconds have passed.
   *
   * @param crawl that the transaction holds
   */
  async pause(transaction: Transaction, { id }: Pick<Crawl, 'id'>, seconds: number): Promise<void> {
    await transaction.query(
      `UPDATE crawls SET paused_until = greatest(paused_until, now() + $2 * interval '1 s') WHERE id = $1`,
      [id, seconds],
    );
  }

  /** Ends a step; the next one begins in `waitMs`. Harmless when the lease is lost. */
  async release({ id, lease }: LeasedCrawl, waitMs: number): Promise<void> {
    await this.source.query(
      `UPDATE crawls SET lease = NULL, leased_until = NULL, next_run_at = now() + $3 * interval '1 ms'
        WHERE id = $1 AND lease = $2`,
      [id, lease, waitMs],
    );
  }
}
