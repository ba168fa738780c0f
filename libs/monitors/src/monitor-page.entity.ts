import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One page of a monitor, and how it was. */
@Entity('monitor_pages')
export class MonitorPage {
  @PrimaryColumn('uuid', { name: 'monitor_id' })
  monitorId!: string;

  /** From 1. */
  @PrimaryColumn('integer')
  page!: number;

  /** The secrets are bound to it. */
  @Column('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** What the caller asked for, over the operator's defaults at that time; secrets as `[redacted]`. */
  @Column('json')
  options!: Record<string, unknown>;

  @Column('text', { name: 'default_names', array: true, nullable: true })
  defaultNames!: string[] | null;

  /** The secret options, encrypted. */
  @Column({ type: 'bytea', nullable: true })
  secrets!: Buffer | null;

  /** The capture that later ones are compared with. */
  @Column('uuid', { name: 'baseline_id', nullable: true })
  baselineId!: string | null;

  /** Failed checks in a row. */
  @Column({ type: 'integer', insert: false })
  failures!: number;
}
