import { Logger } from '@nestjs/common';

/**
 * Does a piece of upkeep again and again, one round after the other; a round that fails is followed by the next.
 * A round that is due while one is at work is left out.
 */
export class Rounds {
  private readonly logger: Logger;
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> | undefined;
  private isWoken = false;
  private readonly stopping = new AbortController();

  constructor(
    name: string,
    private readonly periodMs: number,
    /** @param signal aborts when the process ends: what can be left to the next round is to be left */
    private readonly work: (signal: AbortSignal) => Promise<void>,
  ) {
    this.logger = new Logger(name);
  }

  start(): void {
    this.next();
    this.timer = setInterval(() => {
      this.next();
    }, this.periodMs);
  }

  /** Begins a round now; behind the one that is at work, which may have looked already, another one. */
  wake(): void {
    this.isWoken = this.current !== undefined;
    this.next();
  }

  /** Resolves when the round in progress is over. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.current;
  }

  private next(): void {
    this.current ??= this.round().finally(() => {
      this.current = undefined;
      if (this.isWoken && !this.stopping.signal.aborted) this.wake();
    });
  }

  private async round(): Promise<void> {
    try {
      await this.work(this.stopping.signal);
    } catch (error) {
      this.logger.warn({ err: error }, 'a round failed; the next one tries again');
    }
  }
}
