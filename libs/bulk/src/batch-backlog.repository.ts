import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** The batches of all accounts that need more work. */
export interface Backlog {
  readonly queued: number;
  readonly running: number;
  /** Ended, with a webhook that is not announced yet. */
  readonly unannounced: number;
}

/** Counts the batches that need more work, by two partial indexes that hold no others. */
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
}
