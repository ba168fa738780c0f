import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A worker process as it last reported itself. */
@Entity('workers')
export class WorkerHeartbeat {
  @PrimaryColumn('text')
  id!: string;

  @Column('integer')
  slots!: number;

  @Column('integer')
  busy!: number;

  /** Slots whose browser runs. */
  @Column('integer')
  healthy!: number;

  /** Name and version of the browser. */
  @Column('text')
  browser!: string;

  @Column('boolean')
  sandbox!: boolean;

  @Column({ type: 'timestamptz', name: 'seen_at', precision: 3 })
  seenAt!: Date;
}
