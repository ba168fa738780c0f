import { Injectable, Logger } from '@nestjs/common';
import { AppError, withTimeout } from '@app/kernel';
import { Storage } from '@app/storage';

/** How long a stored file counts as proof that the store is available. */
const PROOF_VALID_MS = 2_000;
const CHECK_EVERY_MS = 1_000;
const CHECK_TIMEOUT_MS = 5_000;

/**
 * Knows whether the store takes files. A background capture that starts while it does not would lose its files and use up
 * an attempt of its job. A file that was stored recently is the proof; without one the store is checked, so that a busy
 * worker needs no checks.
 */
@Injectable()
export class StoreWatchService {
  private readonly logger = new Logger(StoreWatchService.name);
  private provedAt = -Infinity;
  private checkedAt = -Infinity;
  private checking: Promise<void> | undefined;
  private down = false;

  constructor(private readonly storage: Storage) {}

  get isDown(): boolean {
    return this.down;
  }

  /** Runs `work`, which stores a file, and notes from its result whether the store is available. */
  async observe<T>(work: () => Promise<T>): Promise<T> {
    try {
      const stored = await work();
      this.note(true);
      return stored;
    } catch (error) {
      if (error instanceof AppError && error.code === 'storage_unavailable') this.note(false);
      throw error;
    }
  }

  /** Returns whether files can be stored now; checks the store when there is no recent proof. */
  async isAvailable(): Promise<boolean> {
    if (this.down || performance.now() - this.provedAt < PROOF_VALID_MS) return !this.down;
    await this.check();
    return !this.down;
  }

  /** Checks a store that was down, at most once a second; callers call it repeatedly. */
  recheck(): void {
    if (this.down && performance.now() - this.checkedAt >= CHECK_EVERY_MS) void this.check();
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
    if (taken === !this.down) return;
    this.down = !taken;
    this.logger.warn(
      taken
        ? 'The store takes files again.'
        : 'The store takes no files; jobs and batches wait until it does, or are left to other workers.',
    );
  }
}
