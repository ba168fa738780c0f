import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { pageOfRows, type Cursor, type ListPage } from '@app/kernel';
import { EVENT_TYPES } from './event-types.js';
import { DELIVERY_STATES, WebhookDelivery, type DeliveryState } from './webhook-delivery.entity.js';

/** The filter of a list of deliveries. */
export interface DeliveryHistoryFilter {
  readonly state?: DeliveryState;
  readonly type?: string;
  /** The job, batch or account that the event is about. */
  readonly subjectId?: string;
  /** Exclusive, in the format of RFC 3339. */
  readonly createdAfter?: string;
  readonly createdBefore?: string;
}

/** A delivery without its log and its body, which may be long. */
export type ListedDelivery = Omit<
  WebhookDelivery,
  'accountId' | 'address' | 'host' | 'body' | 'log' | 'leaseUntil' | 'claims' | 'traceContext'
> & {
  /** The status of the last attempt; null when it had no answer, and before the first one. */
  readonly lastStatus: number | null;
};

export type DeliveryPage = ListPage<ListedDelivery>;

export interface DeliveryPageRequest {
  readonly limit: number;
  readonly cursor?: Cursor;
}

/** The deliveries of one account, newest first. A page costs the same at any depth and with any filter. */
@Injectable()
export class DeliveryHistoryRepository {
  constructor(private readonly source: DataSource) {}

  async list(
    accountId: string,
    filter: DeliveryHistoryFilter,
    page: DeliveryPageRequest,
  ): Promise<DeliveryPage> {
    const { sql, values } = deliveryPageQuery(accountId, filter, { ...page, limit: page.limit + 1 });
    const rows: ListedDelivery[] = await this.source.query(sql, values);
    return pageOfRows(rows, page.limit, ({ createdAt }) => createdAt);
  }

  find(accountId: string, id: string): Promise<WebhookDelivery | null> {
    return this.source.getRepository(WebhookDelivery).findOneBy({ id, accountId });
  }
}

const COLUMNS = `id, subject_id AS "subjectId", type, channel, url, state, attempts, (log -> -1 ->> 'status')::int AS "lastStatus",
  created_at AS "createdAt", next_attempt_at AS "nextAttemptAt", finished_at AS "finishedAt"`;

/** `$5` to `$7` bound the page: the times in ms since the epoch, or infinite. */
const CONDITIONS = `account_id = $1 AND (created_at, id) < (to_timestamp($5::float8 / 1000), $6::uuid)
  AND created_at > to_timestamp($7::float8 / 1000)`;

const PAGE = 'ORDER BY created_at DESC, id DESC LIMIT $4';

/** One scan of the index webhook_deliveries_by_kind for each type and state, which together are a few dozen. */
const OF_KINDS = `
  SELECT ${COLUMNS} FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT found.id FROM unnest($2::text[]) AS kind (type), unnest($3::text[]) AS stage (state),
      LATERAL (SELECT id, created_at FROM webhook_deliveries
                WHERE type = kind.type AND state = stage.state AND ${CONDITIONS} ${PAGE}) AS found
     ${PAGE}))
   ${PAGE}`;

/** OFFSET 0 keeps the planner from searching the deliveries of one subject among all of the account. */
const OF_SUBJECT = `
  SELECT ${COLUMNS} FROM (SELECT * FROM webhook_deliveries WHERE subject_id = $8 OFFSET 0) AS of_subject
   WHERE type = ANY ($2) AND state = ANY ($3) AND ${CONDITIONS} ${PAGE}`;

/** Returns the statement for at most `limit` deliveries after the cursor. */
export function deliveryPageQuery(
  accountId: string,
  filter: DeliveryHistoryFilter,
  { limit, cursor }: DeliveryPageRequest,
): { readonly sql: string; readonly values: unknown[] } {
  const { state, type, subjectId, createdAfter } = filter;
  const start = startOf(filter, cursor);
  const values = [
    accountId,
    type === undefined ? EVENT_TYPES : [type],
    state === undefined ? DELIVERY_STATES : [state],
    limit,
    start.createdAtMs,
    start.id,
    createdAfter === undefined ? -Infinity : Date.parse(createdAfter),
  ];
  if (subjectId === undefined) return { sql: OF_KINDS, values };
  return { sql: OF_SUBJECT, values: [...values, subjectId] };
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * The lower one of the cursor and `createdBefore`, whose rows are all before it. An index scan with two upper bounds would
 * start at one of them and read all rows up to the other.
 */
function startOf({ createdBefore }: DeliveryHistoryFilter, cursor: Cursor | undefined): Cursor {
  const end = createdBefore === undefined ? Infinity : Date.parse(createdBefore);
  return cursor && cursor.createdAtMs < end ? cursor : { createdAtMs: end, id: FIRST_ID };
}
