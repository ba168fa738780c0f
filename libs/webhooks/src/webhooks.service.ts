import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { Clock, newId } from '@app/kernel';
import type { DeliveryAttempt, DeliveryState, WebhookDelivery } from './webhook-delivery.entity.js';
import { TEST_EVENT } from './event-types.js';
import { DeliveryRepository, type Backlog } from './delivery.repository.js';

/** Deliveries that one statement deletes. More would hold their locks for long. */
const PURGED_AT_ONCE = 1_000;

/** An event and its receiver. */
export interface Announcement {
  readonly accountId: string;
  /** The job, batch or account that the event is about. */
  readonly subjectId: string;
  readonly url: string;
  /** Such as `capture.succeeded`. */
  readonly type: string;
  /** The record as the API returns it. */
  readonly data: object;
  /** The place in its trace of the request that the event comes from. */
  readonly traceContext?: string | null;
  /** What it says without the words of captures, when it has some: their deletion erases them. */
  readonly quoting?: Quoting<object> | undefined;
}

/** The captures whose words an event quotes, and the event without these words. */
export interface Quoting<Event> {
  readonly captureIds: readonly string[];
  readonly unquoted: Event;
}

/** `webhook` of a job's or a batch's record. */
export interface WebhookSummary {
  readonly id: string | null;
  readonly url: string;
  /** `waiting`: the event has not happened yet. */
  readonly state: 'waiting' | DeliveryState;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly next_attempt_at: string | null;
  readonly log: readonly DeliveryAttempt[];
}

/** The summary of an event that has not happened yet. */
export function waitingSummary(url: string): WebhookSummary {
  return { id: null, url, state: 'waiting', attempts: 0, last_status: null, next_attempt_at: null, log: [] };
}

/** Announces events, and reports on their delivery. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly database: DatabaseService,
    private readonly clock: Clock,
  ) {}

  /** Writes an event into the outbox. It is sent after the transaction has committed. Returns the id of its delivery. */
  async announce(transaction: Transaction, announcement: Announcement): Promise<string> {
    const { accountId, subjectId, url, type, data, traceContext = null, quoting } = announcement;
    const timestamp = this.clock.now().toISOString();
    const toBody = (saying: object): string => JSON.stringify({ type, timestamp, data: saying });
    const { host } = new URL(url);
    const id = newId();
    const delivery = { id, accountId, subjectId, type, url, host, body: toBody(data), traceContext };
    await this.deliveries.add(transaction, {
      ...delivery,
      channel: 'webhook',
      address: null,
      ...(quoting && { quotes: [...quoting.captureIds], unquotedBody: toBody(quoting.unquoted) }),
    });
    return id;
  }

  /** Sends a test to an endpoint, also to one that was gone: it no longer counts as gone. Returns the id of the delivery. */
  announceTest(accountId: string, url: string): Promise<string> {
    return this.database.transaction(async (transaction) => {
      await this.deliveries.revive(transaction, accountId, url);
      const data = { message: 'This is a test of your webhook endpoint.' };
      return this.announce(transaction, { accountId, subjectId: accountId, url, type: TEST_EVENT, data });
    });
  }

  /** The size of the backlog. Cheap enough for a query every few seconds. */
  backlog(): Promise<Backlog> {
    return this.deliveries.backlog();
  }

  /** Deletes some of the deliveries that ended more than `olderThanS` ago. Returns their number. */
  purge(olderThanS: number): Promise<number> {
    return this.deliveries.purge(olderThanS, PURGED_AT_ONCE);
  }

  /**
   * Deletes the deliveries about jobs or batches that are being deleted. A pending delivery contains all that it sends, so
   * it continues, and is purged after its end.
   */
  forget(transaction: Transaction, subjectIds: readonly string[]): Promise<void> {
    return this.deliveries.removeFinished(transaction, subjectIds);
  }

  /**
   * Removes the data of a job from its events when the caller deletes the job: finished deliveries are deleted, a pending
   * one is sent with this record instead.
   */
  async redact(transaction: Transaction, subjectId: string, data: object): Promise<void> {
    await this.deliveries.removeFinished(transaction, [subjectId]);
    await this.deliveries.replaceData(transaction, subjectId, data);
  }

  /** The delivery of the latest event about this job or batch. */
  async summaryOf(subjectId: string, url: string): Promise<WebhookSummary> {
    const delivery = await this.deliveries.findOfSubject(subjectId);
    return delivery ? toSummary(delivery, url) : waitingSummary(url);
  }

  /** The same for many in one query, by the id of the subject, given the URLs by it. */
  async summariesOf(urls: ReadonlyMap<string, string>): Promise<Map<string, WebhookSummary>> {
    if (urls.size === 0) return new Map();
    const deliveries = await this.deliveries.listOfSubjects([...urls.keys()]);
    const latest = new Map(deliveries.map((delivery) => [delivery.subjectId, delivery]));
    return new Map(
      [...urls].map(([id, url]) => {
        const delivery = latest.get(id);
        return [id, delivery ? toSummary(delivery, url) : waitingSummary(url)];
      }),
    );
  }
}

function toSummary(
  { id, state, attempts, log, nextAttemptAt }: WebhookDelivery,
  url: string,
): WebhookSummary {
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
