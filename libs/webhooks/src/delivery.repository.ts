import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { WebhookDelivery, type DeliveryState } from './webhook-delivery.entity.js';

export type NewDelivery = Pick<
  WebhookDelivery,
  'id' | 'accountId' | 'subjectId' | 'type' | 'channel' | 'url' | 'address' | 'host' | 'body' | 'traceContext'
> &
  Partial<Pick<WebhookDelivery, 'quotes' | 'unquotedBody'>>;

export interface DeliveryFilter {
  readonly accountId?: string;
  readonly state?: DeliveryState;
  readonly limit: number;
}

/** The deliveries that are still to be sent. */
export interface Backlog {
  /** Deliveries that are due, or wait for their next attempt. */
  readonly pending: number;
  /** Seconds for which the oldest due delivery has been due; 0 when none is. */
  readonly oldestDueS: number;
}

/** The channel on which senders are notified that there may be something to send; it has no payload. */
export const WEBHOOK_WAITING = 'webhook_waiting';

/** An SQL condition: a row of webhook_stops is about this endpoint. The index holds only the hash of its URL. */
export function isEndpoint(accountId: string, url: string): string {
  return `webhook_stops.account_id = ${accountId} AND webhook_stops.url = ${url}
    AND hashtextextended(webhook_stops.url, 0) = hashtextextended(${url}, 0)`;
}

/** Adds, finds, replays and deletes deliveries; OutboxRepository sends them. */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly source: DataSource) {}

  /** Notifies the senders once the transaction commits. A delivery to an endpoint that is gone is stopped at once. */
  async add(transaction: Transaction, delivery: NewDelivery): Promise<void> {
    const { id, accountId, subjectId, type, url, host, body, traceContext, channel, address } = delivery;
    const { quotes = null, unquotedBody = null } = delivery;
    await transaction.query(
      `WITH added AS (
         INSERT INTO webhook_deliveries (id, account_id, subject_id, type, url, host, body, trace_context, channel, address,
           quotes, unquoted_body, state, finished_at)
         SELECT $1::uuid, $2::uuid, $3::uuid, $4, $5, $6, $7, $8, $9, $10::bytea, $11::uuid[], $12,
                CASE WHEN stopped THEN 'stopped' ELSE 'pending' END, CASE WHEN stopped THEN now() END
           FROM (SELECT EXISTS (SELECT FROM webhook_stops WHERE ${isEndpoint('$2', '$5')}) AS stopped) AS endpoint
         RETURNING state)
       SELECT pg_notify('${WEBHOOK_WAITING}', '') FROM added WHERE state = 'pending'`,
      [id, accountId, subjectId, type, url, host, body, traceContext, channel, address, quotes, unquotedBody],
    );
  }

  /** How many deliveries of an account wait. */
  async countPending(transaction: Transaction, accountId: string): Promise<number> {
    const [row] = await transaction.query<{ deliveries: number }[]>(
      `SELECT count(*)::int AS deliveries FROM webhook_deliveries WHERE account_id = $1 AND state = 'pending'`,
      [accountId],
    );
    return row?.deliveries ?? 0;
  }

  /** Deletes the deliveries of an account, whatever their state, its secret and its endpoints that are gone. */
  async deleteAllOf(transaction: Transaction, accountId: string): Promise<void> {
    for (const table of ['webhook_deliveries', 'webhook_secrets', 'webhook_stops']) {
      await transaction.query(`DELETE FROM ${table} WHERE account_id = $1`, [accountId]);
    }
  }

  /** The newest delivery about this job or batch. */
  findOfSubject(subjectId: string): Promise<WebhookDelivery | null> {
    return this.source
      .getRepository(WebhookDelivery)
      .findOne({ where: { subjectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  /** The newest delivery about each of these jobs or batches, as far as there is one. */
  listOfSubjects(subjectIds: readonly string[]): Promise<WebhookDelivery[]> {
    return this.source
      .getRepository(WebhookDelivery)
      .createQueryBuilder('delivery')
      .distinctOn(['delivery.subjectId'])
      .where('delivery.subject_id = ANY(:subjectIds)', { subjectIds })
      .orderBy('delivery.subjectId')
      .addOrderBy('delivery.createdAt', 'DESC')
      .addOrderBy('delivery.id', 'DESC')
      .getMany();
  }

  /** Newest first. */
  list({ accountId, state, limit }: DeliveryFilter): Promise<WebhookDelivery[]> {
    return this.source.getRepository(WebhookDelivery).find({
      where: { ...(accountId !== undefined && { accountId }), ...(state !== undefined && { state }) },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  /** The delivery with this id, or the newest one about the job or batch with this id. */
  async find(id: string): Promise<WebhookDelivery | null> {
    return (
      (await this.source.getRepository(WebhookDelivery).findOneBy({ id })) ?? (await this.findOfSubject(id))
    );
  }

  /**
   * Sends a delivery again at once under the same id, whatever its state. Its schedule restarts, its endpoint no longer
   * counts as gone, and the result of an attempt in progress is ignored. False when there is no delivery with this id.
   */
  async replay(id: string): Promise<boolean> {
    return (await this.replayWhere('id = $1', [id])) > 0;
  }

  /**
   * Replays a delivery of this account, unless its first attempt is still to come or in progress: two requests at once send
   * it once.
   */
  async replayOnce(accountId: string, id: string): Promise<void> {
    await this.replayWhere(`id = $1 AND account_id = $2 AND NOT (state = 'pending' AND attempts = 0)`, [
      id,
      accountId,
    ]);
  }

  /** The endpoint no longer counts as gone. */
  async revive(transaction: Transaction, accountId: string, url: string): Promise<void> {
    await transaction.query(`DELETE FROM webhook_stops WHERE ${isEndpoint('$1', '$2')}`, [accountId, url]);
  }

  /** Replays the failed deliveries of one account or of all, since a time or since ever. Returns their number. */
  replayFailed(accountId: string | null, since: Date | null): Promise<number> {
    return this.replayWhere(
      `state = 'failed' AND ($1::uuid IS NULL OR account_id = $1)
         AND ($2::timestamptz IS NULL OR finished_at >= $2)`,
      [accountId, since],
    );
  }

  private async replayWhere(condition: string, values: unknown[]): Promise<number> {
    const [row]: { count: number }[] = await this.source.query(
      `WITH replayed AS (
         UPDATE webhook_deliveries
            SET state = 'pending', attempts = 0, next_attempt_at = date_trunc('milliseconds', now()),
                lease_until = NULL, claims = claims + 1, finished_at = NULL
          WHERE ${condition} RETURNING account_id, url
       ), revived AS (
         DELETE FROM webhook_stops USING replayed
          WHERE ${isEndpoint('replayed.account_id', 'replayed.url')}
       )
       SELECT count(*)::int AS count, pg_notify('${WEBHOOK_WAITING}', '') FROM replayed`,
      values,
    );
    return row?.count ?? 0;
  }

  async backlog(): Promise<Backlog> {
    const [row]: [Backlog] = await this.source.query(
      `SELECT (SELECT count(*) FROM webhook_deliveries WHERE state = 'pending')::int AS pending,
              coalesce(extract(epoch FROM now() -
                (SELECT min(next_attempt_at) FROM webhook_deliveries
                  WHERE state = 'pending' AND next_attempt_at <= now())), 0)::float8 AS "oldestDueS"`,
    );
    return row;
  }

  /** Deletes the finished deliveries about these jobs or batches. */
  async removeFinished(transaction: Transaction, subjectIds: readonly string[]): Promise<void> {
    await transaction.query(
      `DELETE FROM webhook_deliveries WHERE subject_id = ANY($1) AND finished_at IS NOT NULL`,
      [subjectIds],
    );
  }

  /** Replaces the data of the events about this job or batch. An attempt in progress still sends the old data. */
  async replaceData(transaction: Transaction, subjectId: string, data: object): Promise<void> {
    await transaction.query(
      `UPDATE webhook_deliveries
          SET body = json_build_object('type', type, 'timestamp', body::json->'timestamp', 'data', $2::json)::text,
              trace_context = NULL
        WHERE subject_id = $1`,
      [subjectId, JSON.stringify(data)],
    );
  }

  /** Deletes up to `limit` deliveries that ended more than `olderThanS` ago. Returns their number. */
  async purge(olderThanS: number, limit: number): Promise<number> {
    const [, deleted]: [unknown, number] = await this.source.query(
      `DELETE FROM webhook_deliveries WHERE id IN (
         SELECT id FROM webhook_deliveries WHERE finished_at < now() - $1 * interval '1 s'
          ORDER BY finished_at LIMIT $2)`,
      [olderThanS, limit],
    );
    return deleted;
  }
}
