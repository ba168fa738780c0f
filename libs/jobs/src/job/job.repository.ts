import { Injectable } from '@nestjs/common';
import { DataSource, In, type QueryDeepPartialEntity } from 'typeorm';
import type { Transaction } from '@app/database';
import type { CaptureFacts, CaptureTimings, FailedFacts } from '@app/capture';
import type { ErrorBody } from '@app/kernel';
import { Job } from './job.entity.js';
import { FINAL_STATUSES, MAX_ATTEMPTS, MAX_LOSSES, sourcesOf, type CancelReason } from './job-state.js';
import { SIGNALS, type Signal } from '../signals/signals.js';

/** An attempt of a job, as its worker holds it. */
export interface Attempt {
  readonly id: string;
  readonly attempt: number;
}

export interface StoredFile {
  readonly resultKey: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Success {
  readonly facts: CaptureFacts;
  readonly file: StoredFile;
  readonly timings: CaptureTimings;
  readonly ttlS: number;
}

/** What is kept of a capture that failed, besides its error. */
export interface Failure {
  readonly facts: FailedFacts;
  readonly timings: CaptureTimings;
}

export type Standing = Pick<
  Job,
  'id' | 'accountId' | 'batchId' | 'status' | 'attempt' | 'dispatchedAt' | 'createdAt'
>;

/** The rows of jobs. Each move between states is one conditional UPDATE; null says that another was first. */
@Injectable()
export class JobRepository {
  constructor(private readonly source: DataSource) {}

  findById(id: string): Promise<Job | null> {
    return this.source.getRepository(Job).findOneBy({ id });
  }

  /** A job as its account sees it: one whose record was deleted is none. */
  findOfAccount(accountId: string, id: string): Promise<Job | null> {
    return this.source.getRepository(Job).findOneBy({ id, accountId, recordDeleted: false });
  }

  /** Where these jobs stand. */
  listStanding(ids: readonly string[]): Promise<Standing[]> {
    return this.source.getRepository(Job).find({
      select: {
        id: true,
        accountId: true,
        batchId: true,
        status: true,
        attempt: true,
        dispatchedAt: true,
        createdAt: true,
      },
      where: { id: In([...ids]) },
    });
  }

  /** Those of these jobs that are final. */
  async listFinal(ids: readonly string[]): Promise<string[]> {
    const jobs = await this.source
      .getRepository(Job)
      .find({ select: { id: true }, where: { id: In([...ids]), status: In([...FINAL_STATUSES]) } });
    return jobs.map(({ id }) => id);
  }

  /** queued → running, of a job that has its place in the queue */
  claim(id: string, workerId: string, leaseMs: number): Promise<Job | null> {
    return this.move(this.source.manager, {
      set: {
        status: 'running',
        attempt: () => 'attempt + 1',
        workerId,
        leaseUntil: () => `clock_timestamp() + :leaseMs * interval '1 ms'`,
        startedAt: () => 'coalesce(started_at, clock_timestamp())',
      },
      where: `id = :id AND status = ANY(:from) AND dispatched_at IS NOT NULL`,
      values: { id, leaseMs, from: sourcesOf('running') },
    });
  }

  /** Those of these jobs that still are the worker's, with the attempt that is; their leases are renewed. */
  async renewLeases(workerId: string, ids: readonly string[], leaseMs: number): Promise<Attempt[]> {
    const [rows]: [Attempt[]] = await this.source.query(
      // In the order of the ids: the cancel of a batch locks many of them, too.
      `WITH ours AS MATERIALIZED (
         SELECT id FROM jobs WHERE id = ANY($2) AND worker_id = $1 AND status = 'running'
          ORDER BY id FOR NO KEY UPDATE)
       UPDATE jobs SET lease_until = clock_timestamp() + $3 * interval '1 ms'
         FROM ours WHERE jobs.id = ours.id RETURNING jobs.id, attempt`,
      [workerId, ids, leaseMs],
    );
    return rows;
  }

  /** Those of these jobs that still are the worker's, with the attempt that is. */
  listRunning(workerId: string, ids: readonly string[]): Promise<Attempt[]> {
    return this.source.getRepository(Job).find({
      select: { id: true, attempt: true },
      where: { id: In([...ids]), workerId, status: 'running' },
    });
  }

  /** running → succeeded */
  succeed(transaction: Transaction, attempt: Attempt, success: Success): Promise<Job | null> {
    const { facts, file, timings, ttlS } = success;
    return this.move(transaction, {
      set: {
        ...FINAL,
        ...facts,
        ...file,
        ...timesOf(timings),
        status: 'succeeded',
        expiresAt: () => `clock_timestamp() + :ttlS * interval '1 s'`,
      },
      where: RUNNING_ATTEMPT,
      values: { ...idOf(attempt), timings: JSON.stringify(timings), ttlS },
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
        ...(known && { ...known.facts, ...timesOf(known.timings) }),
        ...(error.retryable && { failures: () => 'failures + 1' }),
      },
      where: RUNNING_ATTEMPT,
      values: {
        ...idOf(attempt),
        error: JSON.stringify(error),
        ...(known && { timings: JSON.stringify(known.timings) }),
      },
    });
  }

  /** running → failed, of a job that is not given to another worker */
  failLost(transaction: Transaction, attempt: Attempt, error: ErrorBody): Promise<Job | null> {
    return this.move(transaction, {
      set: { ...FINAL, ...failure(error), losses: () => 'losses + 1' },
      where: `${RUNNING_ATTEMPT} AND ${LEASE_OVER}`,
      values: { ...idOf(attempt), error: JSON.stringify(error) },
    });
  }

  /** running → queued, after a transient fault, if attempts are left */
  retry(transaction: Transaction, attempt: Attempt): Promise<Job | null> {
    return this.move(transaction, {
      set: { ...QUEUED_AGAIN, failures: () => 'failures + 1' },
      where: `${RUNNING_ATTEMPT} AND ${ATTEMPTS_LEFT}`,
      values: { ...idOf(attempt), most: MAX_ATTEMPTS },
    });
  }

  /** running → queued, of a job whose worker fell silent, if it may have another */
  retryLost(transaction: Transaction, attempt: Attempt): Promise<Job | null> {
    return this.move(transaction, {
      set: { ...QUEUED_AGAIN, losses: () => 'losses + 1' },
      where: `${RUNNING_ATTEMPT} AND ${LEASE_OVER} AND ${ATTEMPTS_LEFT} AND losses + 1 < :mostLosses`,
      values: { ...idOf(attempt), most: MAX_ATTEMPTS, mostLosses: MAX_LOSSES },
    });
  }

  /** running → queued, of a job that its worker hands back */
  handBack(transaction: Transaction, attempt: Attempt): Promise<Job | null> {
    return this.move(transaction, {
      set: QUEUED_AGAIN,
      where: RUNNING_ATTEMPT,
      values: idOf(attempt),
    });
  }

  /** queued | running → canceled */
  cancel(transaction: Transaction, id: string, reason: CancelReason): Promise<Job | null> {
    return this.move(transaction, {
      set: canceledFor(reason),
      where: `id = :id AND status = ANY(:from)`,
      values: { id, from: sourcesOf('canceled') },
    });
  }

  /** Background jobs of the account that the queue or a worker has. */
  async countInFlight(transaction: Transaction, accountId: string): Promise<number> {
    const [row]: [{ jobs: number }] = await transaction.query(
      `SELECT count(*)::int AS jobs FROM jobs
        WHERE account_id = $1 AND status IN ('queued', 'running') AND dispatched_at IS NOT NULL AND source <> 'sync'`,
      [accountId],
    );
    return row.jobs;
  }

  /** Tells all processes, when and if the transaction commits. */
  async signal(transaction: Transaction, signal: Signal, jobId: string): Promise<void> {
    await transaction.query(`SELECT pg_notify($1, $2)`, [SIGNALS[signal], jobId]);
  }

  private async move(manager: Transaction, { set, where, values }: Move): Promise<Job | null> {
    const updated = await manager
      .createQueryBuilder()
      .update(Job)
      .set(set)
      .where(where, values)
      .returning('*')
      .execute();
    const [row] = updated.raw as Row[];
    return row ? this.toJob(row) : null;
  }

  private toJob(row: Row): Job {
    return jobOf(this.source, row);
  }
}

/** The job of a row of `RETURNING *`. */
export function jobOf(source: DataSource, row: Row): Job {
  const { columns } = source.getMetadata(Job);
  const values = columns.map((column) => [column.propertyName, row[column.databaseName]] as const);
  return Object.assign(new Job(), Object.fromEntries<unknown>(values));
}

/** As PostgreSQL returns it, by column. */
type Row = Record<string, unknown>;

interface Move {
  readonly set: QueryDeepPartialEntity<Job>;
  readonly where: string;
  readonly values: Record<string, unknown>;
}

/** What is true of a job in any final state: nobody runs it and its secrets are gone. */
const FINAL = {
  secrets: null,
  workerId: null,
  leaseUntil: null,
  finishedAt: () => 'clock_timestamp()',
} satisfies QueryDeepPartialEntity<Job>;

export function canceledFor(reason: CancelReason): QueryDeepPartialEntity<Job> {
  return { ...FINAL, status: 'canceled', cancelReason: reason };
}

/** The queue is told of it anew, so its time there begins anew. */
const QUEUED_AGAIN = {
  status: 'queued',
  workerId: null,
  leaseUntil: null,
  dispatchedAt: () => 'clock_timestamp()',
} satisfies QueryDeepPartialEntity<Job>;

/** Counts the attempt that ends. */
const ATTEMPTS_LEFT = 'failures + losses + 1 < :most';

const LEASE_OVER = 'lease_until < clock_timestamp()';

/** A worker that lost its lease has an older attempt, so what it writes changes no row. */
const RUNNING_ATTEMPT = `id = :id AND attempt = :attempt AND status = 'running'`;

function idOf({ id, attempt }: Attempt): Record<string, unknown> {
  return { id, attempt };
}

/** The statement has a parameter `timings`. */
function timesOf({ queue_ms, total_ms }: CaptureTimings): QueryDeepPartialEntity<Job> {
  return { timings: () => ':timings::jsonb', queueMs: queue_ms, totalMs: total_ms };
}

function failure(error: ErrorBody): QueryDeepPartialEntity<Job> {
  return { status: 'failed', error: () => ':error::jsonb', errorCode: error.code };
}
