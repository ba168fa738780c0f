import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { CrawlRepository } from '@app/crawls';
import type { PeriodicTask } from './periodic-task.js';

/** Deletes crawls that are as old as records of captures may be. */
@Injectable()
export class CrawlExpiryTask implements PeriodicTask {
  readonly name = 'expire_crawls';
  readonly periodMs = 60_000;

  constructor(
    private readonly crawls: CrawlRepository,
    private readonly env: Env,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.crawls.purge(this.env.RECORD_TTL_S)) > 0);
  }
}
