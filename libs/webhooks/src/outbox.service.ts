import { Injectable } from '@nestjs/common';
import { NotificationsService } from '@app/database';
import { SecretBox } from '@app/kernel';
import {
  errorTextOf,
  statusOf,
  verdictOn,
  type DeliveryVerdict,
  type FinishedAttempt,
} from './delivery-verdict.js';
import type { DeliveryState } from './webhook-delivery.entity.js';
import { TEST_EVENT } from './event-types.js';
import { OutboxRepository, type ClaimedDelivery } from './outbox.repository.js';
import { signatureHeaders } from './signature.js';
import { WEBHOOK_WAITING } from './delivery.repository.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';

/** Timeout of an attempt. */
export const ATTEMPT_TIMEOUT_MS = 15_000;

/** Twice the timeout of an attempt: after that, the sender has crashed or has lost the database. */
const LEASE_MS = 2 * ATTEMPT_TIMEOUT_MS;

/** Deliveries in progress to one host of an account, and of one account, so that a host that hangs delays few others. */
const PER_LANE = 8;
const PER_ACCOUNT = 16;

/** The outbox for senders: they claim due deliveries, sign them and record the attempts. */
@Injectable()
export class OutboxService {
  constructor(
    private readonly repository: OutboxRepository,
    private readonly secrets: WebhookSecretsService,
    private readonly notifications: NotificationsService,
    private readonly secretBox: SecretBox,
  ) {}

  /** Calls `onWaiting` when there may be something to send. A notification may be lost, so senders also poll. */
  listen(onWaiting: () => void): Promise<void> {
    this.notifications.onConnected(onWaiting);
    return this.notifications.listen(WEBHOOK_WAITING, onWaiting);
  }

  /** Claims up to this many due deliveries. The sender holds each for 30 s, then another may claim it. */
  claim(deliveries: number): Promise<ClaimedDelivery[]> {
    const limits = { leaseMs: LEASE_MS, perLane: PER_LANE, perAccount: PER_ACCOUNT };
    return this.repository.claim({ deliveries, ...limits });
  }

  /** The headers of an attempt made now. */
  async sign(delivery: ClaimedDelivery, at: Date): Promise<Record<string, string>> {
    return signatureHeaders(delivery, at, await this.secrets.signing(delivery.accountId));
  }

  /** Where a delivery goes: the address of its webhook or of its chat, or a mail address. */
  addressOf({ id, url, address }: ClaimedDelivery): string {
    return address === null ? url : String(this.secretBox.open(address, id).address);
  }

  /** Records an attempt. Returns the new state of the delivery; null when the sender no longer held it. */
  async finalize(
    delivery: ClaimedDelivery,
    finished: Omit<FinishedAttempt, 'attempt' | 'channel'>,
  ): Promise<DeliveryState | null> {
    const { at, durationMs, outcome } = finished;
    const { channel } = delivery;
    const verdict = withoutRetryOfTest(
      delivery,
      verdictOn({ ...finished, channel, attempt: delivery.attempts + 1 }, Math.random()),
    );
    const attempt = {
      at: at.toISOString(),
      status: statusOf(outcome),
      error: errorTextOf(outcome, channel),
      duration_ms: durationMs,
    };
    return verdict.state === 'stopped'
      ? this.repository.stop(delivery, attempt)
      : this.repository.finish(delivery, { ...verdict, attempt });
  }

  /** Returns a delivery whose attempt did not finish; it does not count as an attempt. */
  release(delivery: ClaimedDelivery): Promise<void> {
    return this.repository.release(delivery);
  }
}

/** A test says at once whether the endpoint answers; nobody waits for its retry in an hour. */
function withoutRetryOfTest({ type }: ClaimedDelivery, verdict: DeliveryVerdict): DeliveryVerdict {
  return type === TEST_EVENT && verdict.state === 'pending' ? { state: 'failed' } : verdict;
}
