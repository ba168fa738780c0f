import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Batch } from '../batch.entity.js';
import { isOver } from '../batch-state.js';
import { etaS, type Pace } from './eta.js';

/** Rows that the pace is taken from: enough to even out single slow pages, few enough to follow a change. */
const LATEST = 100;

/** How fast the rows of a batch end. */
@Injectable()
export class BatchPaceRepository {
  constructor(private readonly source: DataSource) {}

  /** Seconds to the end at the pace of the latest rows; null while none has been run, 0 at the end. */
  async etaS(batch: Batch): Promise<number | null> {
    if (isOver(batch.status)) return 0;
    if (batch.startedAt === null) return null;
    return etaS(batch.queued + batch.running, await this.read(batch.id, batch.startedAt));
  }

  /** Rows that no worker has had are left out: one that was not valid, one that was canceled in the line. */
  private async read(batchId: string, startedAt: Date): Promise<Pace> {
    const [pace]: [Pace] = await this.source.query(
      `SELECT count(*)::int AS rows,
              extract(epoch FROM clock_timestamp() -
                CASE count(*) WHEN $3::int THEN min(finished_at) ELSE $2::timestamptz END)::float8 AS "spanS"
         FROM (SELECT finished_at FROM jobs
                WHERE batch_id = $1 AND finished_at IS NOT NULL AND attempt > 0
                ORDER BY finished_at DESC LIMIT $3) AS latest`,
      [batchId, startedAt, LATEST],
    );
    return pace;
  }
}
