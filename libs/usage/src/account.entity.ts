import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `month`: the allowance renews each calendar month (UTC). `ever`: it never renews. */
export const ALLOWANCE_PERIODS = ['month', 'ever'] as const;
export type AllowancePeriod = (typeof ALLOWANCE_PERIODS)[number];

/** The driver returns a bigint as a text; all of ours are exact as numbers. */
const BIGINT = {
  from: (text: string | null): number | null => (text === null ? null : Number(text)),
  to: (value: number | null | undefined): number | null | undefined => value,
};

/** The owner of keys, captures and an allowance. */
@Entity('accounts')
export class Account {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  /** Captures per period. */
  @Column('integer')
  allowance!: number;

  @Column('text', { name: 'allowance_period' })
  allowancePeriod!: AllowancePeriod;

  /** Captures in progress at once. */
  @Column('integer')
  concurrency!: number;

  /** Requests per minute. */
  @Column('integer')
  rate!: number;

  /** Requests at once before the rate limit applies. */
  @Column('integer')
  burst!: number;

  /** Receives events about the account, such as its usage; null without a webhook. */
  @Column({ type: 'text', name: 'webhook_url', nullable: true })
  webhookUrl!: string | null;

  /** Since when the account accepts nothing new; null while it does. */
  @Column({ type: 'timestamptz', name: 'paused_at', precision: 3, nullable: true, insert: false })
  pausedAt!: Date | null;

  /** Since when the account and all that it has are being deleted. */
  @Column({ type: 'timestamptz', name: 'deleting_at', precision: 3, nullable: true, insert: false })
  deletingAt!: Date | null;

  /** Captures whose records it may keep; null for any number, as in the limits below. */
  @Column({ type: 'integer', name: 'max_captures', nullable: true })
  maxCaptures!: number | null;

  /** Bytes of files that it may keep. */
  @Column({ type: 'bigint', name: 'max_bytes', nullable: true, transformer: BIGINT })
  maxBytes!: number | null;

  /** Batches in progress. */
  @Column({ type: 'integer', name: 'max_batches', nullable: true })
  maxBatches!: number | null;

  /** Deliveries of webhooks that wait. */
  @Column({ type: 'integer', name: 'max_webhooks', nullable: true })
  maxWebhooks!: number | null;

  /** Sessions; null for SESSIONS_PER_ACCOUNT. */
  @Column({ type: 'integer', name: 'max_sessions', nullable: true })
  maxSessions!: number | null;

  /** Monitors; null for MONITORS_PER_ACCOUNT. */
  @Column({ type: 'integer', name: 'max_monitors', nullable: true })
  maxMonitors!: number | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;
}
