import { Logger } from '@nestjs/common';
import { withTimeout } from '@app/kernel';

/** Four of them one after the other stay below the 10 s that Prometheus waits for a scrape. */
const FIND_TIMEOUT_MS = 2_000;

/**
 * Something looked up for a scrape elsewhere, such as in the database. A lookup under way is shared by all who ask
 * meanwhile: one that hangs holds one connection, not one more with each scrape.
 */
export class Lookup<T> {
  private readonly logger = new Logger(Lookup.name);
  private pending: Promise<T> | undefined;

  constructor(
    /** For the log: what is missing from the metrics when it is not found. */
    private readonly what: string,
    private readonly look: () => Promise<T>,
    private readonly timeoutMs = FIND_TIMEOUT_MS,
  ) {}

  /** What was found; undefined when the lookup failed or takes too long. Never rejects. */
  async find(): Promise<T | undefined> {
    this.pending ??= this.look().finally(() => (this.pending = undefined));
    try {
      return await withTimeout(this.pending, this.timeoutMs, 'the lookup');
    } catch (error) {
      this.logger.warn({ err: error }, `the metrics lack ${this.what}`);
      return undefined;
    }
  }
}
