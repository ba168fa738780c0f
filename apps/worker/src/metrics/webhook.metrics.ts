import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MetricsService } from '@app/metrics';
import type { DeliveryState } from '@app/webhooks';
import { WORKER_METRICS } from './worker-metrics.js';

/** By what the delivery became; `null`: another sender has it. */
const OUTCOMES = {
  delivered: 'delivered',
  pending: 'retried',
  failed: 'failed',
  stopped: 'stopped',
} as const satisfies Record<DeliveryState, string>;

/** Counts the tries of webhooks. */
@Injectable()
export class WebhookMetrics implements OnModuleInit {
  private readonly tries = this.metrics.counter(WORKER_METRICS.webhookTries);

  constructor(private readonly metrics: MetricsService) {}

  onModuleInit(): void {
    for (const outcome of Object.values(OUTCOMES)) this.tries.inc({ outcome }, 0);
  }

  tried(state: DeliveryState | null): void {
    this.tries.inc({ outcome: state === null ? 'lost' : OUTCOMES[state] });
  }
}
