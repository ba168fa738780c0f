import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { DeliveryAttempt, DeliveryState, WebhookDelivery } from './webhook-delivery.entity.js';
import { isEndpoint, WEBHOOK_WAITING } from './delivery.repository.js';

/** A delivery that a sender holds. `claims` distinguishes this claim from later ones. */
export type ClaimedDelivery = Pick<
  WebhookDelivery,
  | 'id'
  | 'accountId'
  | 'subjectId'
  | 'type'
  | 'channel'
  | 'url'
  | 'address'
  | 'host'
  | 'body'
  | 'attempts'
  | 'claims'
  | 'traceContext'
>;

export interface ClaimLimits {
  readonly deliveries: number;
  readonly leaseMs: number;
  /** Deliveries in progress over all senders: to one host of an account, and of one account. */
  readonly perLane: number;
  readonly perAccount: number;
}

export interface DeliveryChange {
  readonly state: DeliveryState;
  /** Until the next attempt of a pending delivery. */
  readonly delayMs?: number;
  readonly attempt: DeliveryAttempt;
}

/** Attempts that the log of a delivery keeps, the latest ones: replays may restart the schedule any number of times. */
const LOG_LENGTH = 30;

/**
 * Claims due deliveries for senders, and records their attempts. The deliveries of an account to one host form a lane. The
 * query visits the head of each lane by an index, so that the rest of a long lane costs nothing. Accounts share the
 * senders evenly, and so do the lanes of an account.
 */
@Injectable()
export class OutboxRepository {
  constructor(private readonly source: DataSource) {}

  async claim({ deliveries, leaseMs, perLane, perAccount }: ClaimLimits): Promise<ClaimedDelivery[]> {
    // The SQL uses now() instead of clock_timestamp(), because only a stable function can be an index condition.
    const [claimed]: [ClaimedDelivery[], number] = await this.source.query(CLAIM, [
      deliveries,
      leaseMs,
      perLane,
      perAccount,
    ]);
    return claimed;
  }

  /** Logs an attempt and changes the delivery; null, without a change, when another sender holds it. */
  async finish(delivery: ClaimedDelivery, change: DeliveryChange): Promise<DeliveryState | null> {
    return this.write(this.source.manager, delivery, change);
  }

  /** Like `finish` with `stopped`. Also stops all pending and future deliveries to the endpoint. */
  async stop(delivery: ClaimedDelivery, attempt: DeliveryAttempt): Promise<DeliveryState | null> {
    return this.source.transaction(async (manager) => {
      const state = await this.write(manager, delivery, { state: 'stopped', attempt });
      if (state === null) return null;
      const endpoint = [delivery.accountId, delivery.url];
      await manager.query(
        `INSERT INTO webhook_stops (account_id, url) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
        endpoint,
      );
      // Deliveries in progress are left to their senders, which get the same answer.
      await manager.query(
        `UPDATE webhook_deliveries SET state = 'stopped', finished_at = now(), lease_until = NULL
          WHERE state = 'pending' AND account_id = $1 AND url = $2
            AND (lease_until IS NULL OR lease_until <= now())`,
        endpoint,
      );
      return state;
    });
  }

  /** Returns a delivery that was not attempted; another sender may claim it at once. */
  async release({ id, claims }: ClaimedDelivery): Promise<void> {
    await this.source.query(
      `WITH given AS (
         UPDATE webhook_deliveries SET lease_until = NULL
          WHERE id = $1 AND claims = $2 AND state = 'pending' RETURNING id)
       SELECT pg_notify('${WEBHOOK_WAITING}', '') FROM given`,
      [id, claims],
    );
  }

  private async write(
    manager: EntityManager,
    { id, claims, accountId, url }: ClaimedDelivery,
    { state, delayMs = 0, attempt }: DeliveryChange,
  ): Promise<DeliveryState | null> {
    const [rows]: [{ state: DeliveryState }[], number] = await manager.query(FINISH, [
      id,
      claims,
      state,
      delayMs,
      JSON.stringify(attempt),
      accountId,
      url,
    ]);
    return rows[0]?.state ?? null;
  }
}

const DUE = `state = 'pending' AND next_attempt_at <= now() AND (lease_until IS NULL OR lease_until <= now())`;

const CLAIM = `
  WITH RECURSIVE lanes AS (
    (SELECT account_id, host FROM webhook_deliveries WHERE state = 'pending'
      ORDER BY account_id, host LIMIT 1)
    UNION ALL
    SELECT following.account_id, following.host FROM lanes CROSS JOIN LATERAL (
      SELECT account_id, host FROM webhook_deliveries
       WHERE state = 'pending' AND (account_id, host) > (lanes.account_id, lanes.host)
       ORDER BY account_id, host LIMIT 1) following
  ), busy AS (
    SELECT account_id, host, count(*)::int AS deliveries FROM webhook_deliveries
     WHERE lease_until > now() GROUP BY account_id, host
  ), heads AS MATERIALIZED (
    SELECT head.id, head.next_attempt_at, lanes.account_id,
           coalesce(busy.deliveries, 0) + row_number() OVER (
             PARTITION BY lanes.account_id, lanes.host ORDER BY head.next_attempt_at) AS lane_position
      FROM lanes LEFT JOIN busy USING (account_id, host)
      CROSS JOIN LATERAL (
        SELECT id, next_attempt_at FROM webhook_deliveries delivery
         WHERE delivery.account_id = lanes.account_id AND delivery.host = lanes.host AND ${DUE}
         ORDER BY next_attempt_at LIMIT greatest(0, $3 - coalesce(busy.deliveries, 0))
           FOR UPDATE SKIP LOCKED) head
  ), ranked AS MATERIALIZED (
    SELECT id, next_attempt_at,
           row_number() OVER (PARTITION BY account_id ORDER BY lane_position, next_attempt_at) + coalesce(
             (SELECT sum(deliveries) FROM busy WHERE busy.account_id = heads.account_id), 0) AS account_position
      FROM heads
  )
  UPDATE webhook_deliveries
     SET lease_until = now() + $2 * interval '1 ms', claims = claims + 1
   WHERE id IN (
     SELECT id FROM ranked WHERE account_position <= $4 ORDER BY account_position, next_attempt_at LIMIT $1)
  RETURNING id, account_id AS "accountId", subject_id AS "subjectId", type, channel, url, address, host,
    body, attempts, claims,
    trace_context AS "traceContext"`;

// When the endpoint was stopped during the attempt, the delivery is not retried.
const FINISH = `
  WITH verdict AS (
    SELECT CASE WHEN $3 = 'pending' AND EXISTS (SELECT FROM webhook_stops WHERE ${isEndpoint('$6', '$7')})
                THEN 'stopped' ELSE $3 END AS state)
  UPDATE webhook_deliveries delivery
     SET state = verdict.state,
         attempts = attempts + 1,
         lease_until = NULL,
         next_attempt_at = CASE WHEN verdict.state = 'pending'
                                THEN now() + $4 * interval '1 ms' ELSE next_attempt_at END,
         finished_at = CASE WHEN verdict.state <> 'pending' THEN now() END,
         log = CASE WHEN jsonb_array_length(log) >= ${LOG_LENGTH} THEN log - 0 ELSE log END || $5::jsonb
    FROM verdict
   WHERE id = $1 AND claims = $2 AND delivery.state = 'pending'
  RETURNING delivery.state`;
