import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { NotificationsService } from '@app/database';
import { Watchers, type ChangeListener } from '@app/jobs';
import { BatchRepository } from '../batch.repository.js';
import { BATCH_FINISHED } from './batch-finished.js';
import { standingOfBatch, standsAtEnd } from './standing.js';

/** Behind the notification of the end, and for the counts, which nobody is notified of. */
const POLL_MS = 1_000;

/** Tells of every change of batches that are watched: their counts once a second, their end at once. */
@Injectable()
export class BatchWatchService implements OnModuleInit, OnApplicationShutdown {
  private readonly watchers = new Watchers(POLL_MS, (ids) => this.look(ids));

  constructor(
    private readonly notifications: NotificationsService,
    private readonly repository: BatchRepository,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.notifications.listen(BATCH_FINISHED, (id) => {
      this.watchers.notify(id, null);
    });
    this.watchers.start();
  }

  onApplicationShutdown(): void {
    this.watchers.stop();
  }

  /** @see Watchers.watch */
  watch(batchId: string, listener: ChangeListener): () => void {
    return this.watchers.watch(batchId, listener);
  }

  /**
   * Resolves when the batch has ended, after `timeoutMs`, or when `signal` aborts, whichever is first. One that had
   * ended before the call is noticed by the poll, so callers read the row after it.
   */
  wait(batchId: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        unwatch();
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      const unwatch = this.watch(batchId, (standing) => {
        if (standing === null || standsAtEnd(standing)) done();
      });
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }

  private async look(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const batches = await this.repository.list(ids);
    return new Map(batches.map((batch) => [batch.id, standingOfBatch(batch)]));
  }
}
