import { Injectable } from '@nestjs/common';
import { MetricsService } from '@app/metrics';
import type { DeliveryState } from '@app/webhooks';
import { WORKER_METRICS } from './worker-metrics.js';

/** The label for each state of a delivery after an attempt. */
const OUTCOMES = {
  delivered: 'delivered',
  pending: 'retried',
  failed: 'failed',
  stopped: 'stopped',
} as const satisfies Record<DeliveryState, string>;

/** Counts attempts of webhook deliveries. */
@Injectable()
export class WebhookMetrics {
  private readonly attempts = this.metrics.counter(WORKER_METRICS.webhookTries, {
    outcome: Object.values(OUTCOMES),
  });

  constructor(private readonly metrics: MetricsService) {}

  /** @param state of the delivery after the attempt; null when another sender holds it */
  attempted(state: DeliveryState | null): void {
    this.attempts.inc({ outcome: state === null ? 'lost' : OUTCOMES[state] });
  }
}
