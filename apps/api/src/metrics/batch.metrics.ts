import { Injectable } from '@nestjs/common';
import type { BatchOutcome } from '@app/bulk';
import { MetricsService } from '@app/metrics';
import { API_METRICS } from './api-metrics.js';

/** Metrics of the batches that this process accepts. */
@Injectable()
export class BatchMetrics {
  private readonly rows = this.metrics.counter(API_METRICS.batchRows, { result: ['valid', 'rejected'] });

  constructor(private readonly metrics: MetricsService) {}

  /** Settles as `submit` does, and counts the rows of an accepted batch. */
  async accepting(submit: () => Promise<BatchOutcome>): Promise<BatchOutcome> {
    const outcome = await submit();
    if (outcome.kind === 'accepted' && !outcome.replayed) {
      const { total, rejected } = outcome.record;
      this.rows.inc({ result: 'valid' }, total - rejected);
      this.rows.inc({ result: 'rejected' }, rejected);
    }
    return outcome;
  }
}
