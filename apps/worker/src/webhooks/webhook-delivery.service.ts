import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '@app/kernel';
import { GuardedFetchService } from '@app/outbound';
import { WebhookMetrics } from '../metrics/webhook.metrics.js';
import { inSpan, type OpenSpan } from '@app/tracing';
import {
  ATTEMPT_TIMEOUT_MS,
  OutboxService,
  statusOf,
  type AttemptOutcome,
  type ClaimedDelivery,
} from '@app/webhooks';
import { MailSenderService } from './mail-sender.service.js';

/** Makes one attempt of a delivery: signs it, sends it and records the outcome. */
@Injectable()
export class WebhookDeliveryService {
  private readonly logger = new Logger(WebhookDeliveryService.name);

  constructor(
    private readonly outbox: OutboxService,
    private readonly guardedFetch: GuardedFetchService,
    private readonly mail: MailSenderService,
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
      ...(delivery.channel !== 'email' && { 'http.request.method': 'POST' }),
      'server.address': delivery.host.replace(/:\d+$/, ''),
      'capture.webhook.channel': delivery.channel,
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
    const outcome = await this.sendUnlessAborted(delivery, at, signal);
    if (outcome === null) return this.outbox.release(delivery);
    const durationMs = Math.round(performance.now() - started);
    const state = await this.outbox.finalize(delivery, { at, durationMs, outcome });
    this.metrics.attempted(state);
    span.set({ 'capture.webhook.state': state });
    const status = statusOf(outcome);
    if (status === null) span.failWith(outcome.kind);
    else if (outcome.kind === 'answered') span.set({ 'http.response.status_code': status });
    const result = status ?? outcome.kind;
    this.logger.log(
      { webhook_id: delivery.id, subject_id: delivery.subjectId, result, state, duration_ms: durationMs },
      state === null ? 'webhook attempted, but another sender holds it now' : 'webhook attempted',
    );
  }

  /** Null when `signal` aborted the request. */
  private async sendUnlessAborted(
    delivery: ClaimedDelivery,
    at: Date,
    signal: AbortSignal,
  ): Promise<AttemptOutcome | null> {
    try {
      return await this.send(delivery, at, signal);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  private async send(delivery: ClaimedDelivery, at: Date, signal: AbortSignal): Promise<AttemptOutcome> {
    const { channel, body } = delivery;
    const address = this.outbox.addressOf(delivery);
    if (channel === 'email') return this.mail.send(delivery, address, signal);
    // Chats verify nothing: their address is their secret.
    const signature = channel === 'webhook' ? await this.outbox.sign(delivery, at) : {};
    const headers = { ...signature, 'content-type': 'application/json', 'user-agent': 'capture-service' };
    return this.guardedFetch.send({
      method: 'POST',
      url: new URL(address),
      headers,
      body,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      signal,
    });
  }
}
