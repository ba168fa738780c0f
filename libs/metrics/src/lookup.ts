import { Logger } from '@nestjs/common';
import { withTimeout } from '@app/kernel';

/** Four lookups in a row stay below the 10 s that Prometheus waits for a scrape. */
const LOOKUP_TIMEOUT_MS = 2_000;

/**
 * A value that a scrape reads from elsewhere, such as the database. Concurrent scrapes share one lookup, so that one that
 * hangs holds one connection instead of one more with each scrape.
 */
export class Lookup<T> {
  private readonly logger = new Logger(Lookup.name);
  private pending: Promise<T> | undefined;

  constructor(
    /** Names the missing values in the log. */
    private readonly what: string,
    private readonly look: () => Promise<T>,
    private readonly timeoutMs = LOOKUP_TIMEOUT_MS,
  ) {}

  /** Looks the value up; undefined when that fails or takes too long. Never rejects. */
  async find(): Promise<T | undefined> {
    this.pending ??= this.look().finally(() => (this.pending = undefined));
    try {
      return await withTimeout(this.pending, this.timeoutMs, 'a lookup');
    } catch (error) {
      this.logger.warn({ err: error }, `the metrics lack ${this.what}`);
      return undefined;
    }
  }
}
