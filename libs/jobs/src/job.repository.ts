import { Injectable } from '@nestjs/common';
import { DataSource, In, type QueryDeepPartialEntity } from 'typeorm';
import type { Transaction } from '@app/database';
import type { CaptureFacts, CaptureTimings } from '@app/capture';
import type { ErrorBody } from '@app/kernel';
import { Job } from './job.entity.js';
import { FINAL_STATUSES, sourcesOf, type CancelReason } from './job-state.js';
import { SIGNALS, type Signal } from './signals/signals.js';

export type NewJob = Pick<
  Job,
  | 'id'
  | 'accountId'
  | 'source'
  | 'reference'
  | 'url'
  | 'host'
  | 'format'
  | 'options'
  | 'secrets'
  | 'timeoutMs'
  | 'usagePeriod'
>;

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

/** The rows of jobs. Each move between states is one conditional UPDATE; null says that another was first. */
@Injectable()
export class JobRepository {
  constructor(private readonly source: DataSource) {}

  async add(transaction: Transaction, job: NewJob): Promise<Job> {
    const inserted = await transaction
      .createQueryBuilder()
      .insert()
      .into(Job)
      .values({
        ...job,
        status: 'queued',
        createdAt: () => 'clock_timestamp()',
      } as QueryDeepPartialEntity<Job>)
      .returning('*')
      .updateEntity(false)
      .execute();
    const [row] = inserted.raw as [Row];
    return this.toJob(row);
  }

  findById(id: string): Promise<Job | null> {
    return this.source.getRepository(Job).findOneBy({ id });
  }

  findOfAccount(accountId: string, id: string): Promise<Job | null> {
    return this.source.getRepository(Job).findOneBy({ id, accountId });
  }

  /** Those of these jobs that are final. */
  async listFinal(ids: readonly string[]): Promise<string[]> {
    const jobs = await this.source
      .getRepository(Job)
      .find({ select: { id: true }, where: { id: In([...ids]), status: In([...FINAL_STATUSES]) } });
    return jobs.map(({ id }) => id);
  }

  /** queued → running; also takes over a run whose lease is over. */
  claim(id: string, workerId: string, leaseMs: number): Promise<Job | null> {
    return this.move(this.source.manager, {
      set: {
        status: 'running',
        attempt: () => 'attempt + 1',
        workerId,
        leaseUntil: () => `clock_timestamp() + :leaseMs * interval '1 ms'`,
        startedAt: () => 'coalesce(started_at, clock_timestamp())',
      },
      where: `id = :id AND (status = ANY(:from) OR (status = 'running' AND lease_until < clock_timestamp()))`,
      values: { id, leaseMs, from: sourcesOf('running') },
    });
  }

  /** Those of these jobs that still are the worker's, their leases renewed. */
  async renewLeases(workerId: string, ids: readonly string[], leaseMs: number): Promise<string[]> {
    const [rows]: [{ id: string }[]] = await this.source.query(
      `UPDATE jobs SET lease_until = clock_timestamp() + $3 * interval '1 ms'
        WHERE id = ANY($2) AND worker_id = $1 AND status = 'running' RETURNING id`,
      [workerId, ids, leaseMs],
    );
    return rows.map(({ id }) => id);
  }

  /** running → succeeded */
  succeed(transaction: Transaction, attempt: Attempt, success: Success): Promise<Job | null> {
    const { facts, file, timings, ttlS } = success;
    return this.move(transaction, {
      set: {
        ...FINAL,
        ...facts,
        ...file,
        status: 'succeeded',
        timings: () => ':timings::jsonb',
        queueMs: timings.queue_ms,
        totalMs: timings.total_ms,
        expiresAt: () => `clock_timestamp() + :ttlS * interval '1 s'`,
      },
      where: RUNNING_ATTEMPT,
      values: { ...idOf(attempt), timings: JSON.stringify(timings), ttlS },
    });
  }

  /** running → failed */
  fail(transaction: Transaction, attempt: Attempt, error: ErrorBody): Promise<Job | null> {
    return this.move(transaction, {
      set: { ...FINAL, ...failure(error) },
      where: RUNNING_ATTEMPT,
      values: { ...idOf(attempt), error: JSON.stringify(error) },
    });
  }

  /** running → queued */
  handBack(attempt: Attempt): Promise<Job | null> {
    return this.move(this.source.manager, {
      set: { status: 'queued', workerId: null, leaseUntil: null },
      where: RUNNING_ATTEMPT,
      values: idOf(attempt),
    });
  }

  /** queued | running → canceled */
  cancel(transaction: Transaction, id: string, reason: CancelReason): Promise<Job | null> {
    return this.move(transaction, {
      set: { ...FINAL, status: 'canceled', cancelReason: reason },
      where: `id = :id AND status = ANY(:from)`,
      values: { id, from: sourcesOf('canceled') },
    });
  }

  /** Runs whose worker has gone: their leases are over. */
  listAbandoned(limit: number): Promise<Job[]> {
    return this.source
      .createQueryBuilder(Job, 'job')
      .where(`job.status = 'running' AND job.lease_until < clock_timestamp()`)
      .orderBy('job.leaseUntil')
      .limit(limit)
      .getMany();
  }

  /** Jobs that have been queued for longer than `ageMs`, oldest first. */
  async listWaiting(ageMs: number, limit: number): Promise<Pick<Job, 'id' | 'source'>[]> {
    return this.source.query(
      `SELECT id, source FROM jobs
        WHERE status = 'queued' AND created_at < clock_timestamp() - $1 * interval '1 ms'
        ORDER BY created_at LIMIT $2`,
      [ageMs, limit],
    );
  }

  /** Jobs whose file's time is over. */
  async listExpired(limit: number): Promise<{ id: string; key: string }[]> {
    return this.source.query(
      `SELECT id, result_key AS key FROM jobs
        WHERE result_key IS NOT NULL AND expires_at < now() ORDER BY expires_at LIMIT $1`,
      [limit],
    );
  }

  async forgetFiles(ids: readonly string[]): Promise<void> {
    await this.source.query(`UPDATE jobs SET result_key = NULL WHERE id = ANY($1)`, [ids]);
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
    const { columns } = this.source.getMetadata(Job);
    const values = columns.map((column) => [column.propertyName, row[column.databaseName]] as const);
    return Object.assign(new Job(), Object.fromEntries<unknown>(values));
  }
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

/** A worker that lost its lease has an older attempt, so what it writes changes no row. */
const RUNNING_ATTEMPT = `id = :id AND attempt = :attempt AND status = 'running'`;

function idOf({ id, attempt }: Attempt): Record<string, unknown> {
  return { id, attempt };
}

function failure(error: ErrorBody): QueryDeepPartialEntity<Job> {
  return { status: 'failed', error: () => ':error::jsonb', errorCode: error.code };
}
