import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { Clock, newId } from '@app/kernel';
import type { DeliveryAttempt, DeliveryState } from './webhook-delivery.entity.js';
import { DeliveryRepository, type Backlog } from './delivery.repository.js';

/** More in one statement would hold its locks for long. */
const PURGED_AT_ONCE = 1_000;

/** Something that happened, and whom to tell. */
export interface Announcement {
  readonly accountId: string;
  /** The job or batch that it happened to. */
  readonly subjectId: string;
  readonly url: string;
  /** Such as `capture.succeeded`. */
  readonly type: string;
  /** The record, as the API shows it. */
  readonly data: object;
}

/** `webhook` of a job's or a batch's record. */
export interface WebhookSummary {
  readonly id: string | null;
  readonly url: string;
  /** `waiting`: what it tells of has not happened yet. */
  readonly state: 'waiting' | DeliveryState;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly next_attempt_at: string | null;
  readonly log: readonly DeliveryAttempt[];
}

/** Of an event that has not happened yet. */
export function waitingSummary(url: string): WebhookSummary {
  return { id: null, url, state: 'waiting', attempts: 0, last_status: null, next_attempt_at: null, log: [] };
}

/** Announces events, and says what became of them. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly clock: Clock,
  ) {}

  /** Writes the event into the outbox; it is sent once the transaction has committed. */
  async announce(transaction: Transaction, announcement: Announcement): Promise<void> {
    const { accountId, subjectId, url, type, data } = announcement;
    const body = JSON.stringify({ type, timestamp: this.clock.now().toISOString(), data });
    const { host } = new URL(url);
    await this.deliveries.add(transaction, { id: newId(), accountId, subjectId, type, url, host, body });
  }

  /** How much is to be sent; cheap enough to be asked every few seconds. */
  backlog(): Promise<Backlog> {
    return this.deliveries.backlog();
  }

  /** Deletes deliveries that ended longer ago, some at a time; how many it were. */
  purge(olderThanS: number): Promise<number> {
    return this.deliveries.purge(olderThanS, PURGED_AT_ONCE);
  }

  /**
   * Deletes the deliveries about jobs or batches that are deleted themselves. One that is not over holds all that it
   * sends, goes on, and is purged when it has ended.
   */
  forget(transaction: Transaction, subjectIds: readonly string[]): Promise<void> {
    return this.deliveries.removeFinished(transaction, subjectIds);
  }

  /**
   * Removes what the events about a job tell of it, when the caller deletes it: those that are over are deleted, and one
   * that is not is sent with this record.
   */
  async redact(transaction: Transaction, subjectId: string, data: object): Promise<void> {
    await this.deliveries.removeFinished(transaction, [subjectId]);
    await this.deliveries.replaceData(transaction, subjectId, data);
  }

  /** Where the event about this job or batch stands. */
  async summaryOf(subjectId: string, url: string): Promise<WebhookSummary> {
    const delivery = await this.deliveries.findOfSubject(subjectId);
    if (!delivery) return waitingSummary(url);
    const { id, state, attempts, log, nextAttemptAt } = delivery;
    return {
      id,
      url,
      state,
      attempts,
      last_status: log.at(-1)?.status ?? null,
      next_attempt_at: state === 'pending' ? nextAttemptAt.toISOString() : null,
      log,
    };
  }
}
