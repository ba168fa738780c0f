import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Batches of all accounts that are not done with. */
export interface Backlog {
  readonly queued: number;
  readonly running: number;
  /** Ended, and to be told of. */
  readonly unannounced: number;
}

/** How many batches the service has before it; what is done with is in neither index. */
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
