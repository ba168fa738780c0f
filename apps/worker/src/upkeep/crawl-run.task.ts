import { Injectable } from '@nestjs/common';
import { CrawlRunnerService } from '@app/crawls';
import type { PeriodicTask } from './periodic-task.js';

/** Takes the steps of crawls that are due. All workers do; each step is taken by one. */
@Injectable()
export class CrawlRunTask implements PeriodicTask {
  readonly name = 'run_crawls';
  readonly periodMs = 500;

  constructor(private readonly runner: CrawlRunnerService) {}

  async run(signal: AbortSignal): Promise<void> {
    await this.runner.runDue(signal);
  }
}
