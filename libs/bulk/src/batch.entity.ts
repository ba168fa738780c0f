import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BatchStatus } from './batch-state.js';

/**
 * Many captures that one request asked for; each row is a job. A trigger of the table `jobs` (`count_batch_rows`) updates the
 * counts in the transaction that moves a job.
 */
@Entity('batches')
export class Batch {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

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

  /** Receives the end of the batch; null without a webhook. */
  @Column('text', { name: 'webhook_url', nullable: true })
  webhookUrl!: string | null;

  /** When the end was written into the outbox of webhooks. */
  @Column({ type: 'timestamptz', name: 'announced_at', precision: 3, nullable: true })
  announcedAt!: Date | null;

  /** The id of the HTTP request, for the log. */
  @Column('text', { name: 'request_id', nullable: true })
  requestId!: string | null;

  /** The place of the request in its trace, as `traceContext` of @app/tracing gives it; null without traces. */
  @Column('text', { name: 'trace_context', nullable: true })
  traceContext!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'started_at', precision: 3, nullable: true })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
