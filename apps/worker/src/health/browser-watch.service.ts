import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { BrowserPoolService } from '@app/browser';

const PERIOD_MS = 500;

/** Measures for how long no browser has run. Short gaps are normal, while a browser is replaced. */
@Injectable()
export class BrowserWatchService implements OnModuleInit, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private ranAt = performance.now();

  constructor(private readonly pool: BrowserPoolService) {}

  onModuleInit(): void {
    this.sample();
    this.timer = setInterval(() => {
      this.sample();
    }, PERIOD_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  downMs(): number {
    this.sample();
    return Math.round(performance.now() - this.ranAt);
  }

  private sample(): void {
    if (this.pool.state().healthy > 0) this.ranAt = performance.now();
  }
}
