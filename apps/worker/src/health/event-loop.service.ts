import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';

const PERIOD_MS = 500;

/** Measures the lag of the event loop: how late a timer fired, or how late it is now. */
@Injectable()
export class EventLoopService implements OnModuleInit, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private tickedAt = performance.now();
  private lastLagMs = 0;

  onModuleInit(): void {
    this.tickedAt = performance.now();
    this.timer = setInterval(() => {
      this.lastLagMs = this.sinceDueMs();
      this.tickedAt = performance.now();
    }, PERIOD_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  lagMs(): number {
    return Math.round(Math.max(0, this.lastLagMs, this.sinceDueMs()));
  }

  private sinceDueMs(): number {
    return performance.now() - this.tickedAt - PERIOD_MS;
  }
}
