import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MetricsService } from '@app/metrics';
import { WORKER_METRICS } from './worker-metrics.js';

const ROUNDS = ['dispatch', 'reconcile', 'announce', 'statistics', 'expire'] as const;
const EXPIRING = [
  'files',
  'leavings',
  'incoming',
  'keys',
  'records',
  'batches',
  'deliveries',
  'workers',
] as const;
const WORKS = [...ROUNDS, ...EXPIRING];

/** A piece of upkeep: one of the rounds, or what the round of expiry deletes. */
export type Upkeep = (typeof WORKS)[number];

/** Counts the upkeep that failed, and what it should never have had to mend. */
@Injectable()
export class UpkeepMetrics implements OnModuleInit {
  private readonly failures = this.metrics.counter(WORKER_METRICS.upkeepFailures);
  private readonly corrected = this.metrics.counter(WORKER_METRICS.batchesCorrected);

  constructor(private readonly metrics: MetricsService) {}

  onModuleInit(): void {
    for (const work of WORKS) this.failures.inc({ work }, 0);
  }

  correctedBatches(count: number): void {
    this.corrected.inc(count);
  }

  /** Settles as `round` does. */
  async watching<T>(work: Upkeep, round: () => Promise<T>): Promise<T> {
    try {
      return await round();
    } catch (error) {
      this.failures.inc({ work });
      throw error;
    }
  }
}
