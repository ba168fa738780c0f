import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { BrowserPoolService } from '@app/browser';

const PERIOD_MS = 500;

/** Tells for how long no browser has run; one that is being replaced is no reason to worry. */
@Injectable()
export class BrowserWatchService implements OnModuleInit, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private ranAt = performance.now();

  constructor(private readonly pool: BrowserPoolService) {}

  onModuleInit(): void {
    this.look();
    this.timer = setInterval(() => {
      this.look();
    }, PERIOD_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  downMs(): number {
    this.look();
    return Math.round(performance.now() - this.ranAt);
  }

  private look(): void {
    if (this.pool.state().healthy > 0) this.ranAt = performance.now();
  }
}
