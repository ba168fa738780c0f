import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * `pending` → `delivered` | `failed` (all tries used up) | `stopped` (the endpoint answered 410 Gone); a replay makes
 * any of them `pending` again.
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'stopped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One try, as the delivery log keeps it. */
export interface DeliveryAttempt {
  /** RFC 3339. */
  readonly at: string;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

/** One event on its way to one endpoint. */
@Entity('webhook_deliveries')
export class WebhookDelivery {
  /** Also the `webhook-id`: the same over all tries. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** The job or batch that the event is about. */
  @Column('uuid', { name: 'subject_id' })
  subjectId!: string;

  @Column('text')
  type!: string;

  @Column('text')
  url!: string;

  /** Of the URL, with its port. */
  @Column('text')
  host!: string;

  /** As it is signed and sent, the same over all tries. */
  @Column('text')
  body!: string;

  @Column('text')
  state!: DeliveryState;

  @Column({ type: 'int2' })
  attempts!: number;

  @Column({ type: 'timestamptz', name: 'next_attempt_at', precision: 3 })
  nextAttemptAt!: Date;

  /** Until then the delivery is a sender's; null when nobody is sending it. */
  @Column({ type: 'timestamptz', name: 'lease_until', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** Times a sender has taken it; fences off a sender that lost its lease. */
  @Column('integer')
  claims!: number;

  @Column('jsonb')
  log!: DeliveryAttempt[];

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
