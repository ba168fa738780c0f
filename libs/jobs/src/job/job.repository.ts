import { Injectable } from '@nestjs/common';
import { DataSource, In, type FindOptionsSelect, type QueryDeepPartialEntity } from 'typeorm';
import type { Transaction } from '@app/database';
import {
  columnsOfFacts,
  KNOWN_FEATURES,
  type CaptureFacts,
  type CaptureTimings,
  type ChangeReport,
  type FailedFacts,
  type PageLists,
} from '@app/capture';
import type { ErrorBody } from '@app/kernel';
import type { KeptState } from '@app/sessions';
import { withFiles, type StoredFile } from './capture-files.js';
import { Job } from './job.entity.js';
import { EXPIRY, fileColumns, pictureColumns } from './result-columns.js';
import { FINAL_STATUSES, MAX_ATTEMPTS, MAX_LOSSES, sourcesOf, type CancelReason } from './job-state.js';

/** An attempt of a job, as its worker holds it. */
export interface Attempt {
  readonly id: string;
  readonly attempt: number;
}

/** What an attempt that succeeded stores. */
export interface Success {
  readonly facts: CaptureFacts;
  readonly files: readonly [StoredFile, ...StoredFile[]];
  /** Null when nothing was compared. */
  readonly change: ChangeReport | null;
  /** For later comparisons. */
  readonly textHash?: Buffer | null;
  readonly timings: CaptureTimings;
  readonly ttlS: number;
  readonly state?: KeptState | undefined;
}

/** What the record of a failed capture keeps besides the error. */
export interface Failure {
  readonly facts: FailedFacts;
  readonly timings: CaptureTimings;
  readonly picture?: { readonly file: StoredFile; readonly ttlS: number } | undefined;
}

const PROGRESS = {
  id: true,
  accountId: true,
  batchId: true,
  createdAt: true,
  dispatchedAt: true,
  status: true,
  needs: true,
  attempt: true,
  waits: true,
} as const satisfies FindOptionsSelect<Job>;

/** How far a job has come, and what its next worker must know. */
export type JobProgress = Pick<Job, keyof typeof PROGRESS>;

/** The rows of jobs. Each move between states is one conditional UPDATE; null means that another process moved the job first. */
@Injectable()
export class JobRepository {
  constructor(private readonly source: DataSource) {}

  findById(id: string): Promise<Job | null> {
    return this.source.getRepository(Job).findOneBy({ id });
  }

  /** Finds a job of the account; one whose record was deleted is not found. */
  findOfAccount(accountId: string, id: string): Promise<Job | null> {
    return this.source.getRepository(Job).findOneBy({ id, accountId, recordDeleted: false });
  }

  /** The lists of what the page says about itself; null when there are none. */
  async findPageLists(id: string): Promise<PageLists | null> {
    const job = await this.source
      .getRepository(Job)
      .findOne({ select: { id: true, pageLists: true }, where: { id } });
    return job?.pageLists ?? null;
  }

  listProgress(ids: readonly string[]): Promise<JobProgress[]> {
    return this.source.getRepository(Job).find({ select: PROGRESS, where: { id: In([...ids]) } });
  }

  /** Returns the ids of the jobs among these that are final. */
  async listFinal(ids: readonly string[]): Promise<string[]> {
    const jobs = await this.source
      .getRepository(Job)
      .find({ select: { id: true }, where: { id: In([...ids]), status: In([...FINAL_STATUSES]) } });
    return jobs.map(({ id }) => id);
  }

  /** queued → running, if the job was dispatched and this worker knows what it needs */
  claim(id: string, workerId: string, leaseMs: number): Promise<Job | null> {
    return this.move(this.source.manager, {
      set: {
        status: 'running',
        attempt: () => 'attempt + 1',
        workerId,
        leaseUntil: () => `clock_timestamp() + :leaseMs * interval '1 ms'`,
        startedAt: () => 'coalesce(started_at, clock_timestamp())',
      },
      where: `id = :id AND status = ANY(:from) AND dispatched_at IS NOT NULL AND (needs IS NULL OR needs <@ :features)`,
      values: { id, leaseMs, features: KNOWN_FEATURES, from: sourcesOf('running') },
    });
  }

  /** Renews the leases of the jobs among these that the worker still runs; returns them with their attempts. */
  async renewLeases(workerId: string, ids: readonly string[], leaseMs: number): Promise<Attempt[]> {
    const [rows]: [Attempt[]] = await this.source.query(
      // Locks the rows in the order of their ids, as the cancellation of a batch does.
      `WITH ours AS MATERIALIZED (
         SELECT id FROM jobs WHERE id = ANY($2) AND worker_id = $1 AND status = 'running'
          ORDER BY id FOR NO KEY UPDATE)
       UPDATE jobs SET lease_until = clock_timestamp() + $3 * interval '1 ms'
         FROM ours WHERE jobs.id = ours.id RETURNING jobs.id, attempt`,
      [workerId, ids, leaseMs],
    );
    return rows;
  }

  /** Returns the jobs among these that the worker still runs, with their attempts. */
  listRunning(workerId: string, ids: readonly string[]): Promise<Attempt[]> {
    return this.source.getRepository(Job).find({
      select: { id: true, attempt: true },
      where: { id: In([...ids]), workerId, status: 'running' },
    });
  }

  /** running → succeeded */
  succeed(transaction: Transaction, attempt: Attempt, success: Success): Promise<Job | null> {
    const { facts, files, change, textHash = null, timings, ttlS } = success;
    return this.move(transaction, {
      set: {
        ...FINAL,
        ...columnsOf({ ...columnsOfFacts({ ...facts, change, textHash }), ...fileColumns(files) }),
        ...timesOf(timings),
        status: 'succeeded',
        originId: () => 'CASE WHEN cache_key IS NOT NULL THEN id END',
        expiresAt: EXPIRY,
      },
      where: RUNNING_ATTEMPT,
      values: { ...idOf(attempt), timings: JSON.stringify(timings), ttlS },
      files,
    });
  }

  /** running → failed */
  fail(
    transaction: Transaction,
    attempt: Attempt,
    { error, known }: { readonly error: ErrorBody; readonly known?: Failure },
  ): Promise<Job | null> {
    return this.move(transaction, {
      set: {
        ...FINAL,
        ...failure(error),
        ...(known && { ...columnsOf(columnsOfFacts(known.facts)), ...timesOf(known.timings) }),
        ...(known?.picture && { ...columnsOf(pictureColumns(known.picture.file)), expiresAt: EXPIRY }),
        ...(error.retryable && { failures: () => 'failures + 1' }),
      },
      where: RUNNING_ATTEMPT,
      values: {
        ...idOf(attempt),
        ttlS: known?.picture?.ttlS,
        error: JSON.stringify(error),
        ...(known && { timings: JSON.stringify(known.timings) }),
      },
      ...(known?.picture && { files: [known.picture.file] }),
    });
  }

  /** running → failed, after the lease has expired */
  failLost(transaction: Transaction, attempt: Attempt, error: ErrorBody): Promise<Job | null> {
    return this.move(transaction, {
      set: { ...FINAL, ...failure(error), losses: () => 'losses + 1' },
      where: `${RUNNING_ATTEMPT} AND ${LEASE_EXPIRED}`,
      values: { ...idOf(attempt), error: JSON.stringify(error) },
    });
  }

  /** running → queued, after a transient fault, if attempts are left */
  retry(transaction: Transaction, attempt: Attempt): Promise<Job | null> {
    return this.move(transaction, {
      set: { ...QUEUED_AGAIN, failures: () => 'failures + 1' },
      where: `${RUNNING_ATTEMPT} AND ${ATTEMPTS_LEFT}`,
      values: { ...idOf(attempt), maxAttempts: MAX_ATTEMPTS },
    });
  }

  /** running → queued, after the lease has expired, if attempts are left */
  retryLost(transaction: Transaction, attempt: Attempt): Promise<Job | null> {
    return this.move(transaction, {
      set: { ...QUEUED_AGAIN, losses: () => 'losses + 1' },
      where: `${RUNNING_ATTEMPT} AND ${LEASE_EXPIRED} AND ${ATTEMPTS_LEFT} AND losses + 1 < :maxLosses`,
      values: { ...idOf(attempt), maxAttempts: MAX_ATTEMPTS, maxLosses: MAX_LOSSES },
    });
  }

  /** running → queued, when the worker hands the job back; `waits` is 1 when the session of the capture is not ready */
  handBack(transaction: Transaction, attempt: Attempt, waits: 0 | 1): Promise<Job | null> {
    const set = { ...QUEUED_AGAIN, waits: () => `waits + ${waits}` };
    return this.move(transaction, { set, where: RUNNING_ATTEMPT, values: idOf(attempt) });
  }

  /** queued | running → canceled */
  cancel(transaction: Transaction, id: string, reason: CancelReason): Promise<Job | null> {
    return this.move(transaction, {
      set: canceledFor(reason),
      where: `id = :id AND status = ANY(:from)`,
      values: { id, from: sourcesOf('canceled') },
    });
  }

  /** Counts the jobs of the account that are in the queue or run. */
  async countInFlight(transaction: Transaction, accountId: string): Promise<number> {
    const [row]: [{ jobs: number }] = await transaction.query(
      `SELECT count(*)::int AS jobs FROM jobs
        WHERE account_id = $1 AND status IN ('queued', 'running') AND dispatched_at IS NOT NULL`,
      [accountId],
    );
    return row.jobs;
  }

  private async move(transaction: Transaction, { set, where, values, files }: Move): Promise<Job | null> {
    const update = transaction.createQueryBuilder().update(Job).set(set).where(where, values).returning('*');
    const [row] = files
      ? await transaction.query<Row[]>(...withFiles(update.getQueryAndParameters(), files))
      : ((await update.execute()).raw as Row[]);
    return row ? jobOf(this.source, { ...row, files }) : null;
  }
}

/** Makes a job of a row of `RETURNING *`, with the columns that a query reads. */
export function jobOf(source: DataSource, row: Row): Job {
  const columns = source.getMetadata(Job).columns.filter(({ isSelect }) => isSelect);
  const values = columns.map((column) => [column.propertyName, row[column.databaseName]] as const);
  return Object.assign(new Job(), Object.fromEntries<unknown>(values));
}

/** A row by the names of its columns. */
type Row = Record<string, unknown>;

interface Move {
  readonly set: QueryDeepPartialEntity<Job>;
  readonly where: string;
  readonly values: Record<string, unknown>;
  readonly files?: readonly StoredFile[];
}

/** A final job has no worker and no secrets, and follows no other one. */
const FINAL = {
  secrets: null,
  followsId: null,
  workerId: null,
  leaseUntil: null,
  finishedAt: () => 'clock_timestamp()',
} satisfies QueryDeepPartialEntity<Job>;

export function canceledFor(reason: CancelReason): QueryDeepPartialEntity<Job> {
  return { ...FINAL, status: 'canceled', cancelReason: reason };
}

/** The job is added to the queue again, and its time and its place there start again. */
const QUEUED_AGAIN = {
  status: 'queued',
  priority: null,
  workerId: null,
  leaseUntil: null,
  dispatchedAt: () => 'clock_timestamp()',
} satisfies QueryDeepPartialEntity<Job>;

/** Counts the attempt that is ending. */
const ATTEMPTS_LEFT = 'failures + losses + 1 < :maxAttempts';

const LEASE_EXPIRED = 'lease_until < clock_timestamp()';

/** A worker that lost its lease has an older attempt, so its writes change no row. */
const RUNNING_ATTEMPT = `id = :id AND attempt = :attempt AND status = 'running'`;

function idOf({ id, attempt }: Attempt): Record<string, unknown> {
  return { id, attempt };
}

/** The type of TypeORM refuses columns whose JSON may hold anything. */
function columnsOf(columns: Partial<Job>): QueryDeepPartialEntity<Job> {
  return columns as QueryDeepPartialEntity<Job>;
}

/** The statement needs a parameter `timings`. */
function timesOf({ queue_ms, total_ms }: CaptureTimings): QueryDeepPartialEntity<Job> {
  return { timings: () => ':timings::json', queueMs: queue_ms, totalMs: total_ms };
}

function failure(error: ErrorBody): QueryDeepPartialEntity<Job> {
  return { status: 'failed', error: () => ':error::jsonb', errorCode: error.code };
}
