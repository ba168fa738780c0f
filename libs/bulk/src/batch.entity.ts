import { Column, Entity } from 'typeorm';
import { Submission } from '@app/jobs';
import type { BatchStatus } from './batch-state.js';

/**
 * Many captures that one request asked for; each row is a job. A trigger of the table `jobs` (`count_batch_rows`) updates the
 * counts in the transaction that moves a job.
 */
@Entity('batches')
export class Batch extends Submission {
  @Column('text')
  status!: BatchStatus;

  /** The batch whose failed rows these are. */
  @Column('uuid', { name: 'retry_of', nullable: true })
  retryOf!: string | null;

  /** All rows, including rejected ones. */
  @Column('integer')
  total!: number;

  /** Rows that were not valid; they count as failed from the start. */
  @Column('integer')
  rejected!: number;

  @Column('integer')
  queued!: number;

  @Column('integer')
  running!: number;

  @Column('integer')
  succeeded!: number;

  @Column('integer')
  failed!: number;

  @Column('integer')
  canceled!: number;

  /** Rows are still added to it, so that it does not end with its last row. */
  @Column('boolean', { name: 'is_open', default: false })
  isOpen!: boolean;

  /** When the end was written into the outbox of webhooks. */
  @Column({ type: 'timestamptz', name: 'announced_at', precision: 3, nullable: true })
  announcedAt!: Date | null;
}
