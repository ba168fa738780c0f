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

  @Column({ type: 'jsonb', name: 'filter_lists' })
  filterLists!: readonly ReportedFilterList[];

  /** What it knows, as `KNOWN_FEATURES` of libs/capture says it. They are many, and few questions need them. */
  @Column('text', { array: true, select: false })
  features!: readonly string[];

  @Column({ type: 'timestamptz', name: 'seen_at', precision: 3 })
  seenAt!: Date;
}
