import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `month`: the allowance renews each calendar month (UTC). `ever`: it never renews. */
export const ALLOWANCE_PERIODS = ['month', 'ever'] as const;
export type AllowancePeriod = (typeof ALLOWANCE_PERIODS)[number];

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

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;
}
