import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';

const PERIOD_MS = 500;

/** Measures the lag of the event loop: how late a timer fired, or how late it is now. */
@Injectable()
export class EventLoopService implements OnModuleInit, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private tickedAt = 0;
  private lastLagMs = 0;

  onModuleInit(): void {
    this.tickedAt = this.nowMs();
    this.timer = setInterval(() => {
      this.lastLagMs = this.sinceDueMs();
      this.tickedAt = this.nowMs();
    }, PERIOD_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  lagMs(): number {
    return Math.round(Math.max(0, this.lastLagMs, this.sinceDueMs()));
  }

  protected nowMs(): number {
    return performance.now();
  }

  private sinceDueMs(): number {
    return this.nowMs() - this.tickedAt - PERIOD_MS;
  }
}
