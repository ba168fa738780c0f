import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';

const PERIOD_MS = 500;

/** Tells how far the event loop is behind: by how much a timer was late, the last time or since then. */
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
