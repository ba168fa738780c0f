import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { DataSource } from 'typeorm';
import type { FoundBy, PageOutcome } from '../crawl-state.js';

/** An address that may become a page of the crawl. */
export interface NewPage {
  readonly key: Buffer;
  readonly number: number;
  readonly url: string;
  readonly pattern: string;
  readonly depth: number;
  readonly foundBy: FoundBy;
  readonly foundOn: number | null;
  readonly state: 'found' | 'alias';
}

/** A page as the crawl goes on with it. */
export interface OpenPage {
  readonly number: number;
  /** The row of the batch that captures it. */
  readonly row: number;
  /** Captures before this one, which the site refused for the time being. */
  readonly tries: number;
  readonly url: string;
  readonly depth: number;
}

/** The outcome of a page. */
export interface ReadPage {
  readonly number: number;
  readonly jobId: string | null;
  readonly outcome: PageOutcome;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly title: string | null;
  readonly isListed: boolean;
  /** The numbers of the pages that it links to. */
  readonly links: readonly number[];
}

/**
 * The pages of a crawl as its steps move them: found → taken, when their row of the batch is stored, → read, when the capture has
 * ended and its links are known. A page that the site refused for the time being goes back from taken to found. The key is unique
 * in a crawl, so that no address is captured twice. All moves happen in transactions that hold the lease of the crawl.
 */
@Injectable()
export class FrontierRepository {
  constructor(private readonly source: DataSource) {}

  /** The numbers of those of these addresses that the crawl knows, by their keys in hex. */
  async listKnown(
    transaction: Transaction,
    crawlId: string,
    keys: readonly Buffer[],
  ): Promise<Map<string, number>> {
    const rows = await transaction.query<{ key: Buffer; number: number }[]>(
      `SELECT key, number FROM crawl_pages WHERE crawl_id = $1 AND key = ANY($2)`,
      [crawlId, keys],
    );
    return new Map(rows.map(({ key, number }) => [key.toString('hex'), number]));
  }

  /** How many pages that links led to have each of these patterns. */
  async countPatterns(
    transaction: Transaction,
    crawlId: string,
    patterns: readonly string[],
  ): Promise<Map<string, number>> {
    const rows = await transaction.query<{ pattern: string; count: number }[]>(
      `SELECT pattern, count(*)::int AS count FROM crawl_pages
        WHERE crawl_id = $1 AND pattern = ANY($2) AND found_by = 'link' GROUP BY pattern`,
      [crawlId, patterns],
    );
    return new Map(rows.map(({ pattern, count }) => [pattern, count]));
  }

  /** The last number that a page or a row of the batch has. */
  async lastNumber(transaction: Transaction, crawlId: string): Promise<number> {
    const [row] = await transaction.query<{ last: number }[]>(
      `SELECT greatest(max(number), max(batch_row), 0) AS last FROM crawl_pages WHERE crawl_id = $1`,
      [crawlId],
    );
    return row?.last ?? 0;
  }

  async add(transaction: Transaction, crawlId: string, pages: readonly NewPage[]): Promise<void> {
    if (pages.length === 0) return;
    const rows = pages.map(({ key, foundBy, foundOn, ...page }) => {
      return { ...page, key: key.toString('hex'), found_by: foundBy, found_on: foundOn };
    });
    await transaction.query(
      `INSERT INTO crawl_pages (crawl_id, key, number, url, pattern, depth, found_by, found_on, state)
       SELECT $1, decode(key, 'hex'), number, url, pattern, depth, found_by, found_on, state
         FROM json_to_recordset($2) AS page (key text, number integer, url text, pattern text, depth integer,
                                             found_by text, found_on integer, state text)`,
      [crawlId, JSON.stringify(rows)],
    );
  }

  /** Pages in this state, in the order in which they were found. */
  listOpen(crawlId: string, state: 'found' | 'taken', limit: number): Promise<OpenPage[]> {
    return this.source.query(
      `SELECT number, coalesce(batch_row, number) AS row, tries, url, depth FROM crawl_pages
        WHERE crawl_id = $1 AND state = $2 ORDER BY number LIMIT $3`,
      [crawlId, state, limit],
    );
  }

  /** found → taken, in the transaction that stores their rows. */
  async markTaken(transaction: Transaction, crawlId: string, numbers: readonly number[]): Promise<void> {
    await transaction.query(
      `UPDATE crawl_pages SET state = 'taken' WHERE crawl_id = $1 AND number = ANY($2) AND state = 'found'`,
      [crawlId, numbers],
    );
  }

  /** taken → found: the pages are captured again, as further rows of the batch. */
  async putBack(
    transaction: Transaction,
    crawlId: string,
    pages: readonly Pick<OpenPage, 'number' | 'row'>[],
  ): Promise<void> {
    if (pages.length === 0) return;
    await transaction.query(
      `UPDATE crawl_pages SET state = 'found', tries = tries + 1, batch_row = page.row
         FROM json_to_recordset($2) AS page (number integer, row integer)
        WHERE crawl_pages.crawl_id = $1 AND crawl_pages.number = page.number AND state = 'taken'`,
      [crawlId, JSON.stringify(pages.map(({ number, row }) => ({ number, row })))],
    );
  }

  /** taken → read. */
  async finish(transaction: Transaction, crawlId: string, pages: readonly ReadPage[]): Promise<void> {
    await transaction.query(
      `UPDATE crawl_pages SET state = 'read', job_id = page.job_id, outcome = page.outcome, http_status = page.http_status,
              error_code = page.error_code, title = page.title, is_listed = page.is_listed, links = page.links
         FROM json_to_recordset($2) AS page (number integer, job_id uuid, outcome text, http_status integer,
                                             error_code text, title text, is_listed boolean, links integer[])
        WHERE crawl_pages.crawl_id = $1 AND crawl_pages.number = page.number`,
      [crawlId, JSON.stringify(pages.map(toRow))],
    );
  }

  /** Forgets the pages that no capture was made of. Returns their number. */
  async dropFound(transaction: Transaction, crawlId: string): Promise<number> {
    const [dropped] = await transaction.query<[unknown[], number]>(
      `DELETE FROM crawl_pages WHERE crawl_id = $1 AND state = 'found' RETURNING number`,
      [crawlId],
    );
    return dropped.length;
  }
}

function toRow({ number, jobId, outcome, httpStatus, errorCode, title, isListed, links }: ReadPage): object {
  return {
    number,
    job_id: jobId,
    outcome,
    http_status: httpStatus,
    error_code: errorCode,
    title,
    is_listed: isListed,
    links,
  };
}
