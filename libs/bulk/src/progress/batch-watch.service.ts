import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { NotificationsService } from '@app/database';
import { Watchers, type ChangeListener, type EndWait } from '@app/jobs';
import type { Batch } from '../batch.entity.js';
import { BatchRepository } from '../batch.repository.js';
import { BATCH_FINISHED, BATCH_STATUSES, isOver } from '../batch-state.js';

/** Finds lost notifications, and changes of the counts, which nothing notifies of. */
const POLL_MS = 1_000;

/** Differs when the status of a batch or any of its counts does. */
export function versionOfBatch({
  status,
  queued,
  running,
  succeeded,
  failed,
  canceled,
}: Pick<Batch, 'status' | 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'>): string {
  return [status, queued, running, succeeded, failed, canceled].join('.');
}

/** Whether a batch of this version has ended, or no longer exists; only its end is notified without a version. */
function isEnd(version: string | null): boolean {
  if (version === null) return true;
  const status = BATCH_STATUSES.find((each) => version.startsWith(`${each}.`));
  return status === undefined || isOver(status);
}

/** Notifies of changes of batches: of their counts once a second, of their end at once. */
@Injectable()
export class BatchWatchService implements OnModuleInit, OnApplicationShutdown {
  private readonly watchers = new Watchers(POLL_MS, (ids) => this.readVersions(ids));

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

  /** @see Watchers.readAtEnd */
  readAtEnd<R>(batchId: string, wait: EndWait<R>): Promise<R> {
    return this.watchers.readAtEnd(batchId, isEnd, wait);
  }

  private async readVersions(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const batches = await this.repository.list(ids);
    return new Map(batches.map((batch) => [batch.id, versionOfBatch(batch)]));
  }
}
