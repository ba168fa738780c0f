import { Logger } from '@nestjs/common';

/** Does a piece of upkeep again and again, one round after the other; a round that fails is followed by the next. */
export class Rounds {
  private readonly logger: Logger;
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> = Promise.resolve();

  constructor(
    name: string,
    private readonly periodMs: number,
    private readonly work: () => Promise<void>,
  ) {
    this.logger = new Logger(name);
  }

  start(): void {
    this.next();
    this.timer = setInterval(() => {
      this.next();
    }, this.periodMs);
  }

  /** Resolves when the round in progress is over. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.current;
  }

  private next(): void {
    this.current = this.current.then(this.work).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'a round failed; the next one tries again');
    });
  }
}
