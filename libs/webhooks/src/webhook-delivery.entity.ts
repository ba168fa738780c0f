import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Channel } from './channels/channel.js';

/**
 * `pending` → `delivered` | `failed` (no attempts left) | `stopped` (the endpoint answered 410 Gone). A replay makes any
 * of them `pending` again.
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'stopped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One attempt, as the delivery log shows it. */
export interface DeliveryAttempt {
  /** RFC 3339. */
  readonly at: string;
  /** Null without an answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

/** One event on its way to one endpoint. */
@Entity('webhook_deliveries')
export class WebhookDelivery {
  /** Also the `webhook-id`, which is the same in all attempts. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** The job, batch, monitor or account that the event is about. */
  @Column('uuid', { name: 'subject_id' })
  subjectId!: string;

  @Column('text')
  type!: string;

  @Column('text')
  channel!: Channel;

  /** The address of a webhook; what is shown of the address of another channel, which differs for each. */
  @Column('text')
  url!: string;

  /** The address of another channel than a webhook, encrypted and bound to the id. */
  @Column({ type: 'bytea', nullable: true })
  address!: Buffer | null;

  /** The host of the URL, with its port; of a mail, the domain of the receiver. */
  @Column('text')
  host!: string;

  /** As it is signed and sent, or the mail as JSON; the same in all attempts. */
  @Column('text')
  body!: string;

  /** The captures whose words the body quotes; null when it quotes none. */
  @Column('uuid', { array: true, nullable: true })
  quotes!: string[] | null;

  /** The body without these words, which replaces it when one of the captures is deleted. */
  @Column('text', { name: 'unquoted_body', nullable: true })
  unquotedBody!: string | null;

  /** The place in its trace of the request that the event comes from; null without traces. Not sent to the endpoint. */
  @Column('text', { name: 'trace_context', nullable: true })
  traceContext!: string | null;

  @Column('text')
  state!: DeliveryState;

  @Column({ type: 'int2' })
  attempts!: number;

  @Column({ type: 'timestamptz', name: 'next_attempt_at', precision: 3 })
  nextAttemptAt!: Date;

  /** A sender holds the delivery until then; null when none does. */
  @Column({ type: 'timestamptz', name: 'lease_until', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** How often senders have claimed it. A sender that lost its lease no longer matches, and changes nothing. */
  @Column('integer')
  claims!: number;

  @Column('jsonb')
  log!: DeliveryAttempt[];

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
