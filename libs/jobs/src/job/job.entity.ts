import { Column, Entity, VirtualColumn } from 'typeorm';
import { FACT_COLUMNS, type CaptureTimings, type Format, type StoredFacts } from '@app/capture';
import type { ErrorBody, ErrorCode } from '@app/kernel';
import { selectFiles, type StoredFile } from './capture-files.js';
import { Submission } from './submission.entity.js';
import type { CacheStatus, CancelReason, JobSource, JobStatus } from './job-state.js';

/** The part of a row that holds the facts of a capture. TypeORM reads the columns of a base class, too. */
class Columns extends Submission {}

for (const { property, name, column, default: fallback, readApart = false } of FACT_COLUMNS) {
  Column({ type: column, name, nullable: fallback === undefined, select: !readApart })(
    Columns.prototype,
    property,
  );
}

/** A column for each fact of a capture, as `libs/capture/src/record` defines them. */
const FactColumns = Columns as unknown as abstract new () => Submission & StoredFacts;

/** One capture, from acceptance to expiry. Synchronous captures are jobs, too. What it found out are `FactColumns`. */
@Entity('jobs')
export class Job extends FactColumns {
  @Column('text')
  source!: JobSource;

  @Column('text')
  status!: JobStatus;

  @Column('text', { nullable: true })
  reference!: string | null;

  @Column('uuid', { name: 'batch_id', nullable: true })
  batchId!: string | null;

  @Column({ type: 'integer', name: 'batch_row', nullable: true })
  batchRow!: number | null;

  /** Canonical target; null for an `html` target. */
  @Column('text', { nullable: true })
  url!: string | null;

  @Column('text', { nullable: true })
  host!: string | null;

  @Column('text')
  format!: Format;

  /** What the caller asked for, over the operator's defaults at that time; secrets as `[redacted]`. */
  @Column('jsonb')
  options!: Record<string, unknown>;

  /** The names of the options that the operator's defaults set; null when there are none. */
  @Column('text', { name: 'default_names', array: true, nullable: true })
  defaultNames!: string[] | null;

  /** The secret options, encrypted; null once the job is final. */
  @Column({ type: 'bytea', nullable: true })
  secrets!: Buffer | null;

  /** What its worker must know, as `neededFeatures` of libs/capture says it; null when that is nothing. */
  @Column('text', { array: true, nullable: true })
  needs!: string[] | null;

  @Column({ type: 'integer', name: 'timeout_ms' })
  timeoutMs!: number;

  /** The period of the allowance in which the unit of this capture was reserved. */
  @Column('text', { name: 'usage_period' })
  usagePeriod!: string;

  /** How often a worker has taken the job; fences off a worker that lost its lease. */
  @Column({ type: 'int2' })
  attempt!: number;

  /** Attempts that ended in a transient fault. */
  @Column({ type: 'int2' })
  failures!: number;

  /** Attempts whose worker was lost. */
  @Column({ type: 'int2' })
  losses!: number;

  /** Attempts that ended at once, because the session of the capture was not ready. */
  @Column({ type: 'int2' })
  waits!: number;

  /** When the job was added to the queue; null while it waits in the database for the dispatcher. */
  @Column({ type: 'timestamptz', name: 'dispatched_at', precision: 3, nullable: true })
  dispatchedAt!: Date | null;

  /** The priority of the job's entry in the queue, as far as it is known; null while there is none. */
  @Column('integer', { nullable: true })
  priority!: number | null;

  @Column('text', { name: 'worker_id', nullable: true })
  workerId!: string | null;

  @Column({ type: 'timestamptz', name: 'lease_until', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** Key of the first file in the store; null before success and after expiry, when there are no files in the store. */
  @Column('text', { name: 'result_key', nullable: true })
  resultKey!: string | null;

  /** Size of the first file. */
  @Column({ type: 'integer', nullable: true })
  bytes!: number | null;

  /** That of the first file, in hex. */
  @Column('text', { nullable: true })
  sha256!: string | null;

  /** The extensions of the files that an attempt may store besides the first one; null when there are none. */
  @Column('text', { name: 'other_extensions', array: true, nullable: true })
  otherExtensions!: string[] | null;

  /** Written for processes of version 0.2.0, which read the files here. */
  @Column('text', { name: 'content_type', nullable: true, select: false })
  contentType?: string | null;

  /** Like `contentType`: the files besides the first one; null when there are none. */
  @Column('json', { name: 'other_files', nullable: true, select: false })
  otherFiles?: readonly StoredFile[] | null;

  /** Size of all files; null before success. */
  @Column({ type: 'integer', name: 'total_bytes', nullable: true })
  totalBytes!: number | null;

  @Column('json', { nullable: true })
  timings!: CaptureTimings | null;

  @Column({ type: 'integer', name: 'queue_ms', nullable: true })
  queueMs!: number | null;

  @Column({ type: 'integer', name: 'total_ms', nullable: true })
  totalMs!: number | null;

  /** Identifies the target and the options that decide what a file shows; null for a row of a batch that was not valid. */
  @Column({ type: 'bytea', name: 'capture_key', nullable: true })
  captureKey!: Buffer | null;

  /** Identifies the captures that may answer for this one; null unless it asked for the cache. */
  @Column({ type: 'bytea', name: 'cache_key', nullable: true })
  cacheKey!: Buffer | null;

  /** How the cache answered; null while that is open, and unless the capture asked for the cache. */
  @Column('text', { name: 'cache_status', nullable: true })
  cacheStatus!: CacheStatus | null;

  /** How old the files were when they answered; null where `cacheStatus` is. */
  @Column({ type: 'integer', name: 'cache_age_s', nullable: true })
  cacheAgeS!: number | null;

  /** The capture that made the files, if the cache keeps them: then `shared_files` owns them, and not this row. */
  @Column('uuid', { name: 'origin_id', nullable: true })
  originId!: string | null;

  /** The capture whose files this queued job waits for. */
  @Column('uuid', { name: 'follows_id', nullable: true })
  followsId!: string | null;

  @Column('jsonb', { nullable: true })
  error!: ErrorBody | null;

  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: ErrorCode | null;

  @Column('text', { name: 'cancel_reason', nullable: true })
  cancelReason!: CancelReason | null;

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** When the caller deleted the capture; from then on the row holds nothing that the caller or the page wrote. */
  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;

  /** The caller deleted the record as well: the row only counts in statistics, and no lookup of a caller finds it. */
  @Column('boolean', { name: 'record_deleted' })
  recordDeleted!: boolean;

  /** By the database's clock when the row was read, so that processes whose clocks differ agree. */
  @VirtualColumn({ type: 'boolean', query: (alias) => `${alias}.expires_at <= clock_timestamp()` })
  isExpired?: boolean | null;

  /** In the order of the outputs; null when there are none. Use `filesOf`, which knows whether they have expired. */
  @VirtualColumn({ type: 'json', query: selectFiles })
  files?: readonly StoredFile[] | null;
}
