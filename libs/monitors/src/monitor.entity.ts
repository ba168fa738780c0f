import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AlertRules, KeepRules, MonitorState, PauseReason, ShownReceiver } from './monitor-state.js';

/** Pages that are captured on a schedule and compared with how they were. */
@Entity('monitors')
export class Monitor {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  cron!: string | null;

  @Column('text', { nullable: true })
  timezone!: string | null;

  /** Set where `cron` is null. */
  @Column({ type: 'integer', name: 'every_s', nullable: true })
  everyS!: number | null;

  /** Whether the caller gave `batch` and not `capture`. */
  @Column('boolean', { name: 'is_batch' })
  isBatch!: boolean;

  /** The first host of its pages; null for a page that is given as `html`. */
  @Column('text', { nullable: true })
  host!: string | null;

  @Column('json')
  alert!: AlertRules;

  @Column('json')
  keep!: KeepRules;

  /** Failed checks in a row after which it pauses; null for never. */
  @Column({ type: 'integer', name: 'pause_after_failures', nullable: true })
  pauseAfterFailures!: number | null;

  @Column('text', { name: 'webhook_url', nullable: true })
  webhookUrl!: string | null;

  /** What is shown of the receivers of events in words. */
  @Column('json')
  notify!: readonly ShownReceiver[];

  /** Their addresses, encrypted and bound to the id; null without any. */
  @Column({ type: 'bytea', nullable: true })
  receivers!: Buffer | null;

  @Column('text')
  state!: MonitorState;

  @Column('text', { name: 'pause_reason', nullable: true })
  pauseReason!: PauseReason | null;

  /** The first instant without a check; null when the schedule has no further one. */
  @Column({ type: 'timestamptz', name: 'next_due_at', precision: 3, nullable: true })
  nextDueAt!: Date | null;

  /** When that instant is checked: somewhat later, so that monitors are spread. */
  @Column({ type: 'timestamptz', name: 'next_run_at', precision: 3, nullable: true })
  nextRunAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, insert: false })
  updatedAt!: Date;
}
