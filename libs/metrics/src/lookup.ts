import { Logger } from '@nestjs/common';

/** Four of them one after the other stay below the 10 s that Prometheus waits for a scrape. */
const FIND_WITHIN_MS = 2_000;

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
    private readonly withinMs = FIND_WITHIN_MS,
  ) {}

  /** What was found; undefined when the lookup failed or takes too long. Never rejects. */
  async find(): Promise<T | undefined> {
    this.pending ??= this.look().finally(() => (this.pending = undefined));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${this.withinMs} ms`)), this.withinMs);
    });
    try {
      return await Promise.race([this.pending, late]);
    } catch (error) {
      this.logger.warn({ err: error }, `the metrics lack ${this.what}`);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
