import { Injectable, Logger } from '@nestjs/common';
import { AppError, withTimeout } from '@app/kernel';
import { Storage } from '@app/storage';

/** What was stored so recently shows that the store takes files. */
const BELIEVED_MS = 2_000;
const CHECK_EVERY_MS = 1_000;
const CHECK_TIMEOUT_MS = 5_000;

/**
 * Knows whether the store takes files. A background capture that starts while the store is away would be made for
 * nothing and use up an attempt of its job. Files that are stored are the proof; a check is made only when there was none
 * lately, so that a busy worker checks nothing.
 */
@Injectable()
export class StoreWatchService {
  private readonly logger = new Logger(StoreWatchService.name);
  private provedAt = -Infinity;
  private checkedAt = -Infinity;
  private checking: Promise<void> | undefined;
  private away = false;

  constructor(private readonly storage: Storage) {}

  get isAway(): boolean {
    return this.away;
  }

  /** Stores a file by `work`, and learns from how that ended. */
  async storing<T>(work: () => Promise<T>): Promise<T> {
    try {
      const stored = await work();
      this.note(true);
      return stored;
    } catch (error) {
      if (error instanceof AppError && error.code === 'storage_unavailable') this.note(false);
      throw error;
    }
  }

  /** Whether files can be stored now; asks the store when that is not known. */
  async isThere(): Promise<boolean> {
    if (this.away || performance.now() - this.provedAt < BELIEVED_MS) return !this.away;
    await this.check();
    return !this.away;
  }

  /** Asks a store that was away whether it is back; to be called now and then. */
  look(): void {
    if (this.away && performance.now() - this.checkedAt >= CHECK_EVERY_MS) void this.check();
  }

  /** Never rejects. */
  private check(): Promise<void> {
    this.checking ??= withTimeout(this.storage.check(), CHECK_TIMEOUT_MS, 'checking the store')
      .then(
        () => this.note(true),
        () => this.note(false),
      )
      .finally(() => {
        this.checking = undefined;
        this.checkedAt = performance.now();
      });
    return this.checking;
  }

  private note(taken: boolean): void {
    if (taken) this.provedAt = performance.now();
    if (taken === !this.away) return;
    this.away = !taken;
    this.logger.warn(
      taken
        ? 'The store takes files again.'
        : 'The store takes no files; jobs and batches wait until it does, or are left to other workers.',
    );
  }
}
