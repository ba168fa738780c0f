import { Injectable } from '@nestjs/common';
import { BatchFeedService } from '@app/bulk';
import { DatabaseService } from '@app/database';
import { AppError, type ErrorBody } from '@app/kernel';
import { CrawlRepository } from '../crawl.repository.js';
import type { CrawlState } from '../crawl-state.js';
import { CrawlLeaseRepository, type LeasedCrawl } from './crawl-lease.repository.js';
import { CrawlWorkService } from './crawl-work.service.js';
import { OPEN_ROWS } from './feeding.service.js';
import { FrontierRepository } from './frontier.repository.js';

/** How soon a crawl is looked at again whose captures are in progress. */
const PERIOD_MS = 500;

/** A crawl that waits for its site still sees soon that its batch is canceled. */
const MAX_PAUSE_MS = 5_000;

/** What a crawl does next, and how soon after that. Interrupted at any moment, the step is taken again. */
@Injectable()
export class CrawlStepService {
  constructor(
    private readonly database: DatabaseService,
    private readonly crawls: CrawlRepository,
    private readonly pages: FrontierRepository,
    private readonly leases: CrawlLeaseRepository,
    private readonly feed: BatchFeedService,
    private readonly work: CrawlWorkService,
  ) {}

  /** Returns the time in ms until the next step. */
  async takeStep(crawl: LeasedCrawl, signal: AbortSignal): Promise<number> {
    const { discovery } = this.work;
    if (await this.endWithBatch(crawl)) return 0;
    switch (crawl.stage) {
      case 'robots':
        await discovery.begin(crawl, signal);
        return 0;
      case 'sitemaps':
        await discovery.readSitemaps(crawl, signal);
        return 0;
      case 'links':
        return this.goOn(crawl, signal);
      default:
        return crawl.stage satisfies never;
    }
  }

  private async goOn(crawl: LeasedCrawl, signal: AbortSignal): Promise<number> {
    const { reading, feeding } = this.work;
    if (crawl.batchId === null) return this.end(crawl);
    const taken = await this.pages.listOpen(crawl.id, 'taken', OPEN_ROWS);
    const { read, isBusy } = await reading.readEnded(crawl, taken, signal);
    // The next step knows for how long the site wants no visit.
    if (isBusy) return 0;
    const fed = await feeding.feedPortion(crawl, taken.length - read);
    const open = taken.length - read + fed;
    if (open > 0) return pauseOf(crawl, { read, fed, open });
    const [left] = await this.pages.listOpen(crawl.id, 'found', 1);
    return left ? Math.min(MAX_PAUSE_MS, Math.max(PERIOD_MS, crawl.pauseMs)) : this.end(crawl);
  }

  /** Nothing is left to find: a crawl that found nothing says why. */
  private async end(crawl: LeasedCrawl): Promise<number> {
    const { batchId } = crawl;
    const error = crawl.discovered === 0 ? reasonOf(crawl) : undefined;
    const state: CrawlState = error && !crawl.error ? 'failed' : 'completed';
    await this.database.transaction(async (transaction) => {
      await this.leases.hold(transaction, crawl);
      if (batchId !== null) await this.feed.close(transaction, batchId);
      await this.crawls.end(transaction, crawl.id, { state, ...(state === 'failed' && { error }) });
    });
    return 0;
  }

  /** A crawl ends with its batch, which its caller may have canceled. Returns whether it has ended. */
  private async endWithBatch({ id, batchId }: LeasedCrawl): Promise<boolean> {
    if (batchId === null) return false;
    const batch = await this.feed.readState(batchId);
    if (batch?.isOpen === true) return false;
    const state = batch?.status === 'completed' ? 'completed' : 'canceled';
    await this.database.transaction((transaction) => this.crawls.end(transaction, id, { state }));
    return true;
  }
}

/** What a step has done, in rows. */
interface Progress {
  readonly read: number;
  readonly fed: number;
  /** Those that wait or run. */
  readonly open: number;
}

/**
 * A site that asks for a delay gets the next visit after it. Otherwise pages that were read may soon lead to others; but while many rows
 * wait, a later step has more to read, and costs no more.
 */
function pauseOf({ delayS }: LeasedCrawl, { read, fed, open }: Progress): number {
  if (delayS > 0 && fed > 0) return delayS * 1_000;
  return read > 0 && open < OPEN_ROWS / 2 ? PERIOD_MS / 5 : PERIOD_MS;
}

function reasonOf({ skipped, rules }: LeasedCrawl): ErrorBody {
  const isForbidden = skipped.robots > 0 || rules.source !== 'sitemap';
  return new AppError(isForbidden ? 'robots_forbidden' : 'sitemap_invalid').toBody();
}
