import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { RowOutcomeRepository, type RowOutcome } from '@app/jobs';
import { keyOf, normalise } from '../addresses/normalise.js';
import { patternOf } from '../addresses/pattern.js';
import { Scope } from '../addresses/scope.js';
import type { PageOutcome } from '../crawl-state.js';
import { CandidatesService, type Finding, type Sifted } from './candidates.service.js';
import { CrawlLeaseRepository, type LeasedCrawl } from './crawl-lease.repository.js';
import { FrontierRepository, type OpenPage, type ReadPage } from './frontier.repository.js';
import { FrontierService } from './frontier.service.js';

/** Pages that are read with one transaction. */
const PAGES_AT_ONCE = 25;

/** The first delay of a site that answers 429; each further one doubles it. */
const FIRST_DELAY_S = 1;
const MAX_DELAY_S = 60;

/** A capture that has ended, and what its page links to. */
interface Ended {
  readonly page: OpenPage;
  readonly row: RowOutcome;
  readonly links: readonly Finding[];
  readonly sifted: Sifted;
}

/** Reads what the captures of a crawl have found: the outcomes of their pages, and the links on them. */
@Injectable()
export class ReadingService {
  constructor(
    private readonly database: DatabaseService,
    private readonly leases: CrawlLeaseRepository,
    private readonly pages: FrontierRepository,
    private readonly frontier: FrontierService,
    private readonly candidates: CandidatesService,
    private readonly rows: RowOutcomeRepository,
  ) {}

  /** Reads the captures that have ended. Returns how many pages were read. */
  async readEnded(crawl: LeasedCrawl, taken: readonly OpenPage[], signal: AbortSignal): Promise<number> {
    const { batchId } = crawl;
    if (batchId === null || taken.length === 0) return 0;
    const numbers = taken.map(({ number }) => number);
    const rows = (await this.rows.listEnded(batchId, numbers)).slice(0, PAGES_AT_ONCE);
    if (rows.length === 0) return 0;
    const byNumber = new Map(taken.map((page) => [page.number, page]));
    const ended: Ended[] = [];
    for (const row of rows) {
      const page = byNumber.get(row.row);
      if (!page) continue;
      const links = linksOf(crawl, page, row);
      ended.push({ page, row, links, sifted: await this.candidates.sift(crawl, links, signal) });
    }
    await this.store(crawl, ended);
    return ended.length;
  }

  private async store(crawl: LeasedCrawl, ended: readonly Ended[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const read: ReadPage[] = [];
      for (const one of ended) {
        const held = await this.leases.hold(transaction, crawl);
        const numbers = await this.frontier.add(transaction, held, one.sifted);
        await this.addAlias(transaction, held, one);
        read.push(toReadPage(crawl, one, [...new Set(numbers.values())]));
      }
      await this.pages.finish(transaction, crawl.id, read);
      if (ended.some(({ row }) => row.httpStatus === 429)) await this.slowDown(transaction, crawl);
    });
  }

  private async addAlias(transaction: Transaction, crawl: LeasedCrawl, { page, row }: Ended): Promise<void> {
    const end = placeOf(crawl, row.finalUrl ?? page.url);
    if (!end.isInside || end.url === null || end.url.href === page.url) return;
    const { href: url } = end.url;
    const found = { url, depth: page.depth, foundBy: 'redirect', foundOn: page.number } as const;
    await this.frontier.addAlias(transaction, crawl, {
      ...found,
      key: keyOf(url),
      pattern: patternOf(end.url),
    });
  }

  /** A site that has enough of us is visited less often, from now on. */
  private async slowDown(transaction: Transaction, crawl: LeasedCrawl): Promise<void> {
    const { delayS } = await this.leases.hold(transaction, crawl);
    await this.leases.change(transaction, crawl, {
      delayS: Math.min(MAX_DELAY_S, Math.max(FIRST_DELAY_S, 2 * delayS)),
    });
  }
}

/** Where a visit ended, and whether that is a page of the crawl. */
function placeOf(
  { url, rules }: LeasedCrawl,
  text: string,
): { readonly url: URL | null; readonly isInside: boolean } {
  const scope = new Scope(new URL(url), rules);
  const found = normalise(text);
  const aligned = found && scope.align(found);
  return { url: aligned, isInside: aligned !== null && scope.isSame(aligned) };
}

/** The links that the crawl follows from a page: none from a page of another site, nor where the page asks not to. */
function linksOf(crawl: LeasedCrawl, page: OpenPage, row: RowOutcome): Finding[] {
  const { source } = crawl.rules;
  if (source === 'sitemap' || outcomeOf(row) !== 'ok') return [];
  if (!placeOf(crawl, row.finalUrl ?? page.url).isInside) return [];
  const isNoFollowPage = /\b(?:nofollow|none)\b/i.test(row.page?.robots ?? '');
  const { canonical } = row.page ?? {};
  const links = (row.links ?? []).filter(({ internal }) => internal);
  const found = { depth: page.depth + 1, foundBy: 'link', foundOn: page.number } as const;
  return [
    ...links.map(({ url, rel }) => ({
      ...found,
      url,
      isNoFollow: isNoFollowPage || /\bnofollow\b/i.test(rel),
    })),
    ...(typeof canonical === 'string' ? [{ ...found, url: canonical }] : []),
  ].filter(({ url }) => normalise(url)?.href !== page.url);
}

function toReadPage(crawl: LeasedCrawl, { page, row }: Ended, links: readonly number[]): ReadPage {
  const { id: jobId, httpStatus, errorCode, title } = row;
  const outcome = outcomeOf(row);
  return {
    ...{ number: page.number, jobId, outcome, httpStatus, errorCode, title, links },
    isListed: isListed(crawl, page, row),
  };
}

function outcomeOf({ status, httpStatus }: RowOutcome): PageOutcome {
  if (status === 'canceled') return 'canceled';
  return status === 'failed' || (httpStatus ?? 0) >= 400 ? 'broken' : 'ok';
}

/** A page that exists under its own address, and does not ask search engines to leave it out. */
function isListed(crawl: LeasedCrawl, page: OpenPage, row: RowOutcome): boolean {
  const isItself = (text: string | null | undefined): boolean =>
    text === null || text === undefined || placeOf(crawl, text).url?.href === page.url;
  const isHidden = /\b(?:noindex|none)\b/i.test(row.page?.robots ?? '');
  return outcomeOf(row) === 'ok' && !isHidden && isItself(row.finalUrl) && isItself(row.page?.canonical);
}
