import { Injectable } from '@nestjs/common';
import { BatchFeedService, PortionReaderService } from '@app/bulk';
import { DatabaseService } from '@app/database';
import { AppError } from '@app/kernel';
import { addSkipped } from '../crawl-state.js';
import { CrawlLeaseRepository, type LeasedCrawl } from './crawl-lease.repository.js';
import { CrawlOptionsService } from './crawl-options.service.js';
import { FrontierRepository, type OpenPage } from './frontier.repository.js';
import { skippedFor } from './frontier.service.js';

/**
 * Rows of a crawl that wait or run at once: enough for the visits of one host that a batch makes at once, and few enough that a site
 * which asks to be visited less often need not endure many more.
 */
export const OPEN_ROWS = 40;

/** Rows that are worth a transaction while others wait. */
const PORTION_ROWS = 10;

/** Thrown inside the transaction when the batch was canceled meanwhile. */
class BatchClosedError extends Error {
  override readonly name = 'BatchClosedError';
}

/** Makes rows of the batch of the pages that a crawl has found. */
@Injectable()
export class FeedingService {
  constructor(
    private readonly database: DatabaseService,
    private readonly leases: CrawlLeaseRepository,
    private readonly pages: FrontierRepository,
    private readonly reader: PortionReaderService,
    private readonly feed: BatchFeedService,
    private readonly options: CrawlOptionsService,
  ) {}

  /**
   * Adds a portion to the batch. Its pages are taken by the transaction that stores their rows, so that a process which is killed
   * has either done both or nothing. Returns how many rows were added.
   */
  async feedPortion(crawl: LeasedCrawl, openRows: number): Promise<number> {
    const { batchId } = crawl;
    const wanted = crawl.delayS > 0 ? 1 - openRows : OPEN_ROWS - openRows;
    const isEnough = crawl.delayS === 0 && wanted < PORTION_ROWS;
    if (batchId === null || wanted <= 0 || isEnough || crawl.pauseMs > 0) return 0;
    const found = await this.pages.listOpen(crawl.id, 'found', wanted);
    if (found.length === 0) return 0;
    const { available, isPaused } = await this.database.transaction((transaction) =>
      this.feed.readAllowance(transaction, crawl.accountId),
    );
    if (isPaused) return this.giveUp(crawl, new AppError('account_paused'));
    if (available <= 0) return this.giveUp(crawl, new AppError('allowance_exhausted'));
    return this.store({ ...crawl, batchId }, found.slice(0, available));
  }

  private async store(
    crawl: LeasedCrawl & { readonly batchId: string },
    pages: readonly OpenPage[],
  ): Promise<number> {
    const { batchId: id, accountId } = crawl;
    const rows = pages.map(({ row, url }) => ({ row, url }));
    const portion = await this.reader.read({ id, accountId }, this.options.optionsOf(crawl), rows);
    try {
      await this.database.transaction(async (transaction) => {
        await this.leases.hold(transaction, crawl);
        await this.pages.markTaken(
          transaction,
          crawl.id,
          pages.map(({ number }) => number),
        );
        if (!(await this.feed.add(transaction, { id, accountId }, portion))) throw new BatchClosedError();
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'limit_reached') return this.giveUp(crawl, error);
      // The next step sees that the batch is canceled, the account is paused, or how little of the allowance is left.
      const isExpected =
        error instanceof AppError && ['allowance_exhausted', 'account_paused'].includes(error.code);
      if (error instanceof BatchClosedError || isExpected) return 0;
      throw error;
    }
    return rows.length;
  }

  /** Ends the search: what is found and not captured is left out. */
  private async giveUp(crawl: LeasedCrawl, reason: AppError): Promise<number> {
    await this.database.transaction(async (transaction) => {
      const held = await this.leases.hold(transaction, crawl);
      const dropped = await this.pages.dropFound(transaction, crawl.id);
      await this.leases.change(transaction, crawl, {
        state: 'capturing',
        discovered: held.discovered - dropped,
        skipped: addSkipped(held.skipped, skippedFor('limit', dropped)),
        error: reason.toBody(),
      });
    });
    return 0;
  }
}
