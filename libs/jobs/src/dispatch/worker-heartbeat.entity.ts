import { Column, Entity, PrimaryColumn } from 'typeorm';

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

  @Column({ type: 'timestamptz', name: 'seen_at', precision: 3 })
  seenAt!: Date;
}
