import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import type { Format } from '@app/capture';
import { Job } from '../job.entity.js';
import type { JobSource, JobStatus } from '../job-state.js';
import { encodeCursor, type Cursor } from './cursor.js';

/** What a list of jobs is narrowed to. */
export interface JobFilter {
  readonly status?: JobStatus;
  readonly source?: JobSource;
  readonly format?: Format;
  readonly host?: string;
  readonly reference?: string;
  readonly batchId?: string;
  /** Exclusive, as RFC 3339. */
  readonly createdAfter?: string;
  readonly createdBefore?: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: Cursor;
}

export interface JobPage {
  readonly items: Job[];
  readonly nextCursor: string | null;
}

/** The jobs of an account, newest first. A page costs the same at any depth: it starts in an index, at the cursor. */
@Injectable()
export class JobHistory {
  constructor(private readonly source: DataSource) {}

  async list(accountId: string, filter: JobFilter, { limit, cursor }: PageRequest): Promise<JobPage> {
    const query = this.source
      .createQueryBuilder(Job, 'job')
      .where('job.account_id = :accountId AND NOT job.record_deleted', { accountId })
      .orderBy('job.createdAt', 'DESC')
      .addOrderBy('job.id', 'DESC')
      // One more than asked for: whether there is a next page.
      .limit(limit + 1);
    narrow(query, filter);
    if (cursor) startAfter(query, cursor);
    const jobs = await query.getMany();
    const items = jobs.slice(0, limit);
    const last = items.at(-1);
    return { items, nextCursor: jobs.length > limit && last ? cursorAt(last) : null };
  }
}

/** Each filter and its condition; the names are columns of ours, never a caller's text. */
const CONDITIONS = {
  status: 'job.status = :status',
  source: 'job.source = :source',
  format: 'job.format = :format',
  host: 'job.host = :host',
  reference: 'job.reference = :reference',
  batchId: 'job.batch_id = :batchId',
  createdAfter: 'job.created_at > :createdAfter::timestamptz',
  createdBefore: 'job.created_at < :createdBefore::timestamptz',
} satisfies Record<keyof JobFilter, string>;

function narrow(query: SelectQueryBuilder<Job>, filter: JobFilter): void {
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const value = filter[name as keyof JobFilter];
    if (value !== undefined) query.andWhere(condition, { [name]: value });
  }
}

function startAfter(query: SelectQueryBuilder<Job>, { createdAtMs, id }: Cursor): void {
  query.andWhere('(job.created_at, job.id) < (to_timestamp(:createdAtMs::float8 / 1000), :id::uuid)', {
    createdAtMs,
    id,
  });
}

function cursorAt({ createdAt, id }: Job): string {
  return encodeCursor({ createdAtMs: createdAt.getTime(), id });
}
