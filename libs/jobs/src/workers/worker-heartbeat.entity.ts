import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A list of filter rules that a worker has; dates in ISO 8601. */
export interface ReportedFilterList {
  readonly name: string;
  readonly kind: string;
  readonly date: string | null;
  readonly rules: number;
}

/** The last report of a worker process. */
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

  /** Null in the report of an earlier version. */
  @Column({ type: 'jsonb', name: 'filter_lists', nullable: true })
  filterLists!: readonly ReportedFilterList[] | null;

  /** What it knows beyond the options that every worker does; null in the report of an earlier version. */
  @Column('text', { array: true, nullable: true })
  features!: readonly string[] | null;

  @Column({ type: 'timestamptz', name: 'seen_at', precision: 3 })
  seenAt!: Date;
}
