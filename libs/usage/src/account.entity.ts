import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `month`: the allowance is for each calendar month (UTC); `ever`: once and for all. */
export const ALLOWANCE_PERIODS = ['month', 'ever'] as const;
export type AllowancePeriod = (typeof ALLOWANCE_PERIODS)[number];

/** Who keys, captures and the allowance belong to. */
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

  /** Captures at once. */
  @Column('integer')
  concurrency!: number;

  /** Requests per minute. */
  @Column('integer')
  rate!: number;

  /** Requests that may come at once before the rate holds them up. */
  @Column('integer')
  burst!: number;

  /** Where the account hears of itself, of its usage for one; null: nowhere. */
  @Column({ type: 'text', name: 'webhook_url', nullable: true })
  webhookUrl!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;
}
