import { Injectable } from '@nestjs/common';
import { NotificationsService } from '@app/database';
import type { DeliveryState } from './webhook-delivery.entity.js';
import { SendingRepository, type HeldDelivery } from './sending.repository.js';
import { signatureHeaders } from './signature.js';
import { WEBHOOK_WAITING } from './sql.js';
import { faultOf, judge, type Try } from './verdict.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';

/** A try must be over by then. */
export const TRY_TIMEOUT_MS = 15_000;

/** Twice the time of a try: when it is over, its sender is dead, or cut off from the database. */
const LEASE_MS = 2 * TRY_TIMEOUT_MS;

/** One host that hangs holds up no more than this of its account's, one account no more than that of all. */
const PER_LANE = 8;
const PER_ACCOUNT = 16;

/** What a sender does with deliveries: take those that are due, sign them, write down what came of a try. */
@Injectable()
export class OutboxService {
  constructor(
    private readonly sending: SendingRepository,
    private readonly secrets: WebhookSecretsService,
    private readonly notifications: NotificationsService,
  ) {}

  /** Calls back whenever there may be something to send; a call may be missed, so senders also poll. */
  listen(waiting: () => void): Promise<void> {
    this.notifications.onConnected(waiting);
    return this.notifications.listen(WEBHOOK_WAITING, waiting);
  }

  /** Takes up to so many that are due. Each is the sender's for 30 s, then another's. */
  claim(deliveries: number): Promise<HeldDelivery[]> {
    const limits = { leaseMs: LEASE_MS, perLane: PER_LANE, perAccount: PER_ACCOUNT };
    return this.sending.claim({ deliveries, ...limits });
  }

  /** The headers of a try made now. */
  async sign(delivery: HeldDelivery, at: Date): Promise<Record<string, string>> {
    return signatureHeaders(delivery, at, await this.secrets.signing(delivery.accountId));
  }

  /** What the try made of the delivery; null when it was no longer the sender's. */
  async finalize(delivery: HeldDelivery, made: Omit<Try, 'tried'>): Promise<DeliveryState | null> {
    const { at, durationMs, outcome } = made;
    const verdict = judge({ ...made, tried: delivery.attempts + 1 }, Math.random());
    const attempt = {
      at: at.toISOString(),
      status: outcome.kind === 'answered' ? outcome.status : null,
      error: faultOf(outcome),
      duration_ms: durationMs,
    };
    return verdict.state === 'stopped'
      ? this.sending.stop(delivery, attempt)
      : this.sending.end(delivery, { ...verdict, attempt });
  }

  /** Returns a delivery whose attempt did not finish; it does not count as an attempt. */
  release(delivery: HeldDelivery): Promise<void> {
    return this.sending.release(delivery);
  }
}
