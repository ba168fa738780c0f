import { Injectable, Logger } from '@nestjs/common';
import { CrawlLeaseRepository, type LeasedCrawl } from './crawl-lease.repository.js';
import { LeaseLostError } from './lease-lost-error.js';
import { CrawlStepService } from './crawl-step.service.js';

/** Crawls that one process works on at once: one that waits for a slow site keeps no other one waiting. */
const AT_ONCE = 4;

/** How soon a crawl is looked at again that failed for a reason of ours, such as an outage of the database. */
const AFTER_FAILURE_MS = 10_000;

/** Works on crawls, step by step. Any process may take any step; the lease sees to it that only one does. */
@Injectable()
export class CrawlRunnerService {
  private readonly logger = new Logger(CrawlRunnerService.name);

  constructor(
    private readonly leases: CrawlLeaseRepository,
    private readonly steps: CrawlStepService,
  ) {}

  /** Takes steps until no crawl is due. */
  async runDue(signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.runNext(signal)));
  }

  private async runNext(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) return;
      const crawl = await this.leases.claim();
      if (!crawl) return;
      await this.leases.release(crawl, await this.step(crawl, signal));
    }
  }

  private async step(crawl: LeasedCrawl, signal: AbortSignal): Promise<number> {
    try {
      return await this.steps.takeStep(crawl, signal);
    } catch (error) {
      if (signal.aborted) return 0;
      if (!(error instanceof LeaseLostError))
        this.logger.error({ msg: 'A step of a crawl failed', crawl: crawl.id, err: error });
      return AFTER_FAILURE_MS;
    }
  }
}
