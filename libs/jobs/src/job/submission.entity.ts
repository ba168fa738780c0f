import { Column, PrimaryColumn } from 'typeorm';

/** What a request submits, a job or a batch: the columns that both tables have. */
export abstract class Submission {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** Receives the end; null when the caller asked for no webhook. */
  @Column('text', { name: 'webhook_url', nullable: true })
  webhookUrl!: string | null;

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
