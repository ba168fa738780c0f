import { Injectable } from '@nestjs/common';
import { BatchAnnouncerService } from '@app/bulk';
import type { PeriodicTask } from './periodic-task.js';

/** Announces the ends of batches. All workers do; each end is announced by one. */
@Injectable()
export class BatchAnnouncementTask implements PeriodicTask {
  readonly name = 'announce';

  /** Finds ends whose notification was missed. */
  readonly periodMs = 5_000;

  constructor(private readonly announcer: BatchAnnouncerService) {}

  onStart(wake: () => void): Promise<void> {
    return this.announcer.listen(wake);
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.announcer.announceAll(signal);
  }
}
