import { Injectable } from '@nestjs/common';
import { MetricsService } from '@app/metrics';
import { WORKER_METRICS } from './worker-metrics.js';

/** Counts failed upkeep, and corrections that should never be necessary. */
@Injectable()
export class UpkeepMetrics {
  private readonly failures = this.metrics.counter(WORKER_METRICS.upkeepFailures);
  private readonly corrected = this.metrics.counter(WORKER_METRICS.batchesCorrected);

  constructor(private readonly metrics: MetricsService) {}

  /** Begins the series of this task with 0, as those of known values do. */
  expose(task: string): void {
    this.failures.inc({ task }, 0);
  }

  correctedBatches(count: number): void {
    this.corrected.inc(count);
  }

  /** Settles as `run` does, and counts a rejection. */
  async countFailure<T>(task: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.failures.inc({ task });
      throw error;
    }
  }
}
