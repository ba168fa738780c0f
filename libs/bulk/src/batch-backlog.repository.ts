import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Batch } from './batch.entity.js';

/** The batches of all accounts that need more work. */
export interface Backlog {
  readonly queued: number;
  readonly running: number;
  /** Ended, with a webhook that is not announced yet. */
  readonly unannounced: number;
}

/** A batch that has not ended. */
export type UnfinishedBatch = Pick<
  Batch,
  'id' | 'accountId' | 'status' | 'total' | 'queued' | 'running' | 'createdAt'
>;

/** The batches that ended in a period. */
export interface EndedBatches {
  readonly completed: number;
  readonly canceled: number;
  /** The end of the period, for the next call. */
  readonly until: Date;
}

/**
 * The end of a batch is visible when its transaction commits, for which this is time enough: a batch of 10,000 rows is canceled
 * in two seconds.
 */
const COMMIT_S = 15;

/** Reads the batches that need more work, by two partial indexes that hold no others. */
@Injectable()
export class BatchBacklogRepository {
  constructor(private readonly source: DataSource) {}

  async read(): Promise<Backlog> {
    const [backlog]: [Backlog] = await this.source.query(
      `SELECT count(*) FILTER (WHERE status = 'queued')::int AS queued,
              count(*) FILTER (WHERE status = 'running')::int AS running,
              (SELECT count(*) FROM batches
                WHERE finished_at IS NOT NULL AND webhook_url IS NOT NULL AND announced_at IS NULL)::int AS unannounced
         FROM batches WHERE status IN ('queued', 'running')`,
    );
    return backlog;
  }

  /** Lists the batches of all accounts, or of one, that have not ended, the oldest first. */
  listUnfinished(limit: number, accountId?: string): Promise<UnfinishedBatch[]> {
    return this.source.query(
      `SELECT id, account_id AS "accountId", status, total, queued, running, created_at AS "createdAt"
         FROM batches WHERE status IN ('queued', 'running') AND account_id = coalesce($2, account_id)
        ORDER BY id LIMIT $1`,
      [limit, accountId],
    );
  }

  /** Counts the batches that ended after `since`, up to some seconds ago. Without `since` the period begins and ends there. */
  async readEnded(since: Date | null): Promise<EndedBatches> {
    const [ended]: [EndedBatches] = await this.source.query(
      `SELECT count(*) FILTER (WHERE status = 'completed')::int AS completed,
              count(*) FILTER (WHERE status = 'canceled')::int AS canceled, until.at AS until
         FROM (SELECT date_trunc('milliseconds', now()) - interval '${COMMIT_S} s' AS at) AS until
         LEFT JOIN batches ON finished_at > $1::timestamptz AND finished_at <= until.at
        GROUP BY until.at`,
      [since],
    );
    return ended;
  }
}
