import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '@app/kernel';
import { GuardedFetchService, type FetchOutcome } from '@app/outbound';
import { WebhookMetrics } from '../metrics/webhook.metrics.js';
import { inSpan, type OpenSpan } from '@app/tracing';
import { OutboxService, ATTEMPT_TIMEOUT_MS, type ClaimedDelivery } from '@app/webhooks';

/** Makes one attempt of a delivery: signs it, sends it and records the outcome. */
@Injectable()
export class WebhookDeliveryService {
  private readonly logger = new Logger(WebhookDeliveryService.name);

  constructor(
    private readonly outbox: OutboxService,
    private readonly guardedFetch: GuardedFetchService,
    private readonly clock: Clock,
    private readonly metrics: WebhookMetrics,
  ) {}

  /**
   * Does not reject when the receiver fails. When `signal` aborts, the delivery is returned to the outbox. Rejects when the
   * database is down; the delivery is then attempted again once its lease has expired.
   */
  attempt(delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    // The path and the query of an endpoint often contain a secret.
    const facts = {
      'http.request.method': 'POST',
      'server.address': new URL(delivery.url).hostname,
      'capture.webhook.id': delivery.id,
      'capture.webhook.type': delivery.type,
      'capture.webhook.attempt': delivery.attempts + 1,
      'capture.subject.id': delivery.subjectId,
    };
    return inSpan('webhook.deliver', { kind: 'client', parent: delivery.traceContext, facts }, (span) =>
      this.deliver(delivery, signal, span),
    );
  }

  private async deliver(delivery: ClaimedDelivery, signal: AbortSignal, span: OpenSpan): Promise<void> {
    const at = this.clock.now();
    const started = performance.now();
    const headers = await this.outbox.sign(delivery, at);
    const outcome = await this.send(delivery, headers, signal);
    if (outcome === null) return this.outbox.release(delivery);
    const durationMs = Math.round(performance.now() - started);
    const state = await this.outbox.finalize(delivery, { at, durationMs, outcome });
    this.metrics.attempted(state);
    span.set({ 'capture.webhook.state': state });
    if (outcome.kind === 'answered') span.set({ 'http.response.status_code': outcome.status });
    else span.failWith(outcome.kind);
    const result = outcome.kind === 'answered' ? outcome.status : outcome.kind;
    this.logger.log(
      { webhook_id: delivery.id, subject_id: delivery.subjectId, result, state, duration_ms: durationMs },
      state === null ? 'webhook attempted, but another sender holds it now' : 'webhook attempted',
    );
  }

  /** Null when `signal` aborted the request. */
  private async send(
    { url, body }: ClaimedDelivery,
    signature: Record<string, string>,
    signal: AbortSignal,
  ): Promise<FetchOutcome | null> {
    const headers = { ...signature, 'content-type': 'application/json', 'user-agent': 'capture-service' };
    const request = {
      method: 'POST',
      url: new URL(url),
      headers,
      body,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
    } as const;
    try {
      return await this.guardedFetch.send({ ...request, signal });
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }
}
