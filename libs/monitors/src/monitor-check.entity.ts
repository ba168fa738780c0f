import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChangeReport } from '@app/capture';
import type { ErrorBody } from '@app/kernel';
import type { CheckOutcome, CheckReason, Trigger } from './monitor-state.js';

/** One page at one instant. */
@Entity('monitor_checks')
export class MonitorCheck {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'monitor_id' })
  monitorId!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('integer')
  page!: number;

  /** Null for a page that is given as `html`. */
  @Column('text', { nullable: true })
  url!: string | null;

  /** The instant of the schedule, or that of the request. */
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3 })
  dueAt!: Date;

  @Column('text')
  trigger!: Trigger;

  /** Earlier instants that passed without a check. */
  @Column('integer')
  missed!: number;

  /** The captures of the check; the last one decides. */
  @Column('uuid', { name: 'capture_ids', array: true })
  captureIds!: string[];

  /** The last of them. */
  @Column('uuid', { name: 'job_id', nullable: true })
  jobId!: string | null;

  /** Null while it is open. */
  @Column('text', { nullable: true })
  outcome!: CheckOutcome | null;

  @Column('text', { nullable: true })
  reason!: CheckReason | null;

  /** What the last capture says. */
  @Column('json', { nullable: true })
  change!: ChangeReport | null;

  @Column('json', { nullable: true })
  error!: ErrorBody | null;

  /** Whether `keep` lets its captures keep their files. */
  @Column({ type: 'boolean', name: 'files_kept', insert: false })
  filesKept!: boolean;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
