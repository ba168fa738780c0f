import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A list of filter rules that a worker has; dates in ISO 8601. */
export interface ReportedFilterList {
  readonly name: string;
  readonly kind: string;
  readonly date: string | null;
  readonly rules: number;
}

/** What a worker does with new captures: it takes them, ends those that it has taken, or has ended them all. */
export const WORKER_STATES = ['active', 'draining', 'drained'] as const;
export type WorkerState = (typeof WORKER_STATES)[number];

/** A dependency that only workers use or watch while they capture. */
export type WorkerOutage = 'dns' | 'store';

/** The last report of a worker process, and what an operator wishes of it. */
@Entity('workers')
export class WorkerHeartbeat {
  @PrimaryColumn('text')
  id!: string;

  @Column('integer')
  slots!: number;

  @Column('integer')
  busy!: number;

  /** Slots with a running browser. */
  @Column('integer')
  healthy!: number;

  /** The name and version of the browser. */
  @Column('text')
  browser!: string;

  @Column('boolean')
  sandbox!: boolean;

  @Column({ type: 'jsonb', name: 'filter_lists' })
  filterLists!: readonly ReportedFilterList[];

  /** What it knows, as `KNOWN_FEATURES` of libs/capture says it. They are many, and few questions need them. */
  @Column('text', { array: true, select: false })
  features!: readonly string[];

  /** Whether an operator wants it to take no more captures. Its heartbeat reads this. */
  @Column('boolean', { default: false })
  drain!: boolean;

  /** What it does about that. A worker of an earlier version does nothing. */
  @Column('text', { default: 'active' })
  state!: WorkerState;

  /** The version of the service that it is of; null for an earlier one. */
  @Column('text', { nullable: true })
  version!: string | null;

  /** What it cannot use at the moment. */
  @Column('text', { array: true, default: [] })
  outages!: readonly WorkerOutage[];

  @Column({ type: 'timestamptz', name: 'seen_at', precision: 3 })
  seenAt!: Date;
}
