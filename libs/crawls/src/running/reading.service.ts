import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { RowOutcomeRepository, type RowOutcome } from '@app/jobs';
import { keyOf } from '../addresses/normalise.js';
import { patternOf } from '../addresses/pattern.js';
import { addSkipped } from '../crawl-state.js';
import { CandidatesService, joinSifted, type Sifted } from './candidates.service.js';
import { CrawlLeaseRepository, type LeasedCrawl } from './crawl-lease.repository.js';
import { BUSY_STATUSES } from './crawl-options.service.js';
import { FrontierRepository, type OpenPage, type ReadPage } from './frontier.repository.js';
import { FrontierService, skippedFor } from './frontier.service.js';
import { PageLinks, type LinksOfPage, type Place } from './page-links.js';

/** Pages that are read with one transaction. */
const PAGES_AT_ONCE = 25;

/** The first delay of a site that answers 429 or 503; each further one doubles it. */
const FIRST_DELAY_S = 1;
const MAX_DELAY_S = 60;

/** The longest time that a site can ask a crawl to wait. */
const MAX_PAUSE_S = 600;

/** Captures of one page, if the site refuses each of them for the time being. */
const MAX_TRIES = 3;

/** A capture that has ended, and what its page links to. */
interface Ended {
  readonly page: OpenPage;
  readonly row: RowOutcome;
  readonly sifted: Sifted;
  /** Where the visit ended. */
  readonly end: Place;
}

/** What is stored at once. */
interface Read {
  readonly links: PageLinks;
  readonly ended: readonly Ended[];
  /** Whether no other visit was in progress: one that began before the crawl slowed down is no reason to slow down more. */
  readonly wasAlone: boolean;
}

/** Captures that were read. */
export interface Reading {
  readonly read: number;
  /** Whether the site has answered that it has no time now. */
  readonly isBusy: boolean;
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

  /** Reads the captures that have ended. */
  async readEnded(crawl: LeasedCrawl, taken: readonly OpenPage[], signal: AbortSignal): Promise<Reading> {
    const { batchId } = crawl;
    if (batchId === null || taken.length === 0) return { read: 0, isBusy: false };
    const byRow = new Map(taken.map((page) => [page.row, page]));
    const rows = await this.rows.listEnded(batchId, [...byRow.keys()]);
    const links = new PageLinks(crawl);
    const ended: Ended[] = [];
    for (const row of rows.slice(0, PAGES_AT_ONCE)) {
      const page = byRow.get(row.row);
      if (!page) continue;
      const sifted = await this.sift(crawl, links.linksOf(page, row), signal);
      ended.push({ page, row, sifted, end: links.placeOf(row.finalUrl ?? page.url) });
    }
    const isBusy = ended.some(({ row }) => isRefusal(row));
    if (ended.length > 0) await this.store(crawl, { links, ended, wasAlone: taken.length === 1 });
    return { read: ended.length, isBusy };
  }

  private async sift(
    crawl: LeasedCrawl,
    { followed, canonical, isVariant, leftOut }: LinksOfPage,
    signal: AbortSignal,
  ): Promise<Sifted> {
    const named = canonical ? [canonical] : [];
    const isOfCopy = isVariant && (await this.candidates.sift(crawl, named, signal)).candidates.length > 0;
    const all = [...named, ...followed.map((link) => ({ ...link, isOfCopy }))];
    const sifted = await this.candidates.sift(crawl, all, signal);
    return { ...sifted, skipped: addSkipped(sifted.skipped, skippedFor('limit', leftOut)) };
  }

  private async store(crawl: LeasedCrawl, { links, ended, wasAlone }: Read): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const held = await this.leases.hold(transaction, crawl);
      // What another page of these links to may be the address at which one of them has ended.
      for (const one of ended) await this.addAlias(transaction, held, one);
      const numbers = await this.frontier.add(
        transaction,
        held,
        joinSifted(ended.map(({ sifted }) => sifted)),
      );
      const again = ended.filter((one) => isTriedAgain(held, one)).map(({ page }) => page);
      const read = ended
        .filter(({ page }) => !again.includes(page))
        .map((one) => toReadPage(links, one, numbersOf(one.sifted, numbers)));
      await this.pages.finish(transaction, crawl.id, read);
      await this.putBack(transaction, crawl, again);
      const refusals = ended.flatMap(({ row }) => (isRefusal(row) ? [row.retryAfterS ?? 0] : []));
      if (refusals.length > 0)
        await this.slowDown(transaction, crawl, { askedS: Math.max(...refusals), wasAlone });
    });
  }

  private async addAlias(
    transaction: Transaction,
    crawl: LeasedCrawl,
    { page, end }: Pick<Ended, 'page' | 'end'>,
  ): Promise<void> {
    if (!end.isInside || end.url === null || end.url.href === page.url) return;
    const { href: url } = end.url;
    const found = { url, depth: page.depth, foundBy: 'redirect', foundOn: page.number } as const;
    await this.frontier.addAlias(transaction, crawl, {
      ...found,
      key: keyOf(url),
      pattern: patternOf(end.url),
    });
  }

  private async putBack(
    transaction: Transaction,
    { id }: LeasedCrawl,
    pages: readonly OpenPage[],
  ): Promise<void> {
    if (pages.length === 0) return;
    const last = await this.pages.lastNumber(transaction, id);
    await this.pages.putBack(
      transaction,
      id,
      pages.map(({ number }, i) => ({ number, row: last + i + 1 })),
    );
  }

  /** A site that has enough of us is visited less often from now on, and not before it wants to be. */
  private async slowDown(
    transaction: Transaction,
    crawl: LeasedCrawl,
    { askedS, wasAlone }: { readonly askedS: number; readonly wasAlone: boolean },
  ): Promise<void> {
    const { delayS } = await this.leases.hold(transaction, crawl);
    const slower = wasAlone ? 2 * delayS : delayS;
    const nextS = Math.min(MAX_DELAY_S, Math.max(FIRST_DELAY_S, slower));
    await this.leases.change(transaction, crawl, { delayS: nextS });
    await this.leases.pause(transaction, crawl, Math.max(nextS, Math.min(MAX_PAUSE_S, askedS)));
  }
}

/** The numbers of the pages of the crawl among what a page links to. */
function numbersOf({ candidates }: Sifted, numbers: ReadonlyMap<string, number>): number[] {
  const known = candidates.map(({ key }) => numbers.get(key.toString('hex')));
  return [...new Set(known.filter((number) => number !== undefined))];
}

function isRefusal({ httpStatus }: RowOutcome): boolean {
  return httpStatus !== null && BUSY_STATUSES.includes(httpStatus);
}

/** A capture of a refusal that did not fail has been charged. */
function isTriedAgain({ error }: LeasedCrawl, { page, row }: Ended): boolean {
  return isRefusal(row) && row.status === 'failed' && page.tries + 1 < MAX_TRIES && error === null;
}

function toReadPage(links: PageLinks, { page, row }: Ended, numbers: readonly number[]): ReadPage {
  const { id: jobId, status, httpStatus, errorCode, title } = row;
  return {
    number: page.number,
    jobId,
    httpStatus,
    title,
    links: numbers,
    outcome: links.outcomeOf(row),
    errorCode: status === null ? 'result_expired' : errorCode,
    isListed: links.isListed(page, row),
  };
}
