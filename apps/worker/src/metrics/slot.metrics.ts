import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BrowserPoolService } from '@app/browser';
import { MetricsService } from '@app/metrics';
import { WORKER_METRICS } from './worker-metrics.js';

/** Exports the slots of this worker. Its heartbeat reports the same numbers, which `/v1/health` adds up. */
@Injectable()
export class SlotMetrics implements OnModuleInit {
  private readonly slots = this.metrics.gauge(WORKER_METRICS.slots);
  private readonly usable = this.metrics.gauge(WORKER_METRICS.usableSlots);
  private readonly busy = this.metrics.gauge(WORKER_METRICS.busySlots);
  private readonly healthy = this.metrics.gauge(WORKER_METRICS.healthySlots);
  private readonly ended = this.metrics.counter(WORKER_METRICS.browsersEnded);

  constructor(
    private readonly metrics: MetricsService,
    private readonly pool: BrowserPoolService,
  ) {}

  onModuleInit(): void {
    this.metrics.beforeScrape(() => {
      const { slots, usable, busy, healthy, ended } = this.pool.state();
      this.slots.set(slots);
      this.usable.set(usable);
      this.busy.set(busy);
      this.healthy.set(healthy);
      // The pool keeps the totals.
      this.ended.reset();
      for (const [reason, count] of Object.entries(ended)) this.ended.inc({ reason }, count);
    });
  }
}
