import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Job } from '../job/job.entity.js';

/** Counting stops here: further back the place says nothing more, and would cost more the longer the line is. */
export const MAX_PLACE = 1_000;

/** What the line is asked about a job. */
export type InLine = Pick<Job, 'id' | 'accountId' | 'batchId' | 'status' | 'dispatchedAt' | 'createdAt'>;

/** The jobs that wait in the database for their turn: the single ones of each account are a line, and so is each batch. */
@Injectable()
export class QueuePositionRepository {
  constructor(private readonly source: DataSource) {}

  /** The place of each of these jobs that is queued, from 1; what has left the line and is not run yet comes next. */
  async placesOf(jobs: readonly InLine[]): Promise<Map<string, number>> {
    const queued = jobs.filter(({ status }) => status === 'queued');
    const waiting = queued.filter(({ dispatchedAt }) => dispatchedAt === null);
    const lines = new Map((await this.read(waiting)).map((line) => [line.id, line]));
    return new Map(queued.map((job) => [job.id, placeIn(lines.get(lineOf(job)), job)]));
  }

  private async read(jobs: readonly InLine[]): Promise<Line[]> {
    if (jobs.length === 0) return [];
    const lines = new Map<string, { account_id: string; until: Date }>();
    for (const job of jobs) {
      const known = lines.get(lineOf(job));
      if (known && known.until >= job.createdAt) continue;
      lines.set(lineOf(job), { account_id: job.accountId, until: job.createdAt });
    }
    return this.source.query(
      `SELECT line.id, count(*)::int AS length,
              coalesce(jsonb_object_agg(job.id, job.place) FILTER (WHERE job.id = ANY($4)), '{}') AS places
         FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS line (id, account_id, until)
        CROSS JOIN LATERAL (
          SELECT id, row_number() OVER (ORDER BY created_at, batch_row, id) AS place FROM jobs
           WHERE account_id = line.account_id AND coalesce(batch_id, account_id) = line.id
             AND status = 'queued' AND dispatched_at IS NULL AND created_at <= line.until
           ORDER BY created_at, batch_row, id LIMIT ${MAX_PLACE}) AS job
        GROUP BY line.id`,
      [
        [...lines.keys()],
        [...lines.values()].map(({ account_id }) => account_id),
        [...lines.values()].map(({ until }) => until),
        jobs.map(({ id }) => id),
      ],
    );
  }
}

/** Up to the last job that was asked for. */
interface Line {
  readonly id: string;
  readonly length: number;
  readonly places: Readonly<Record<string, number>>;
}

/** Single jobs are in the line that has their account's id. */
function lineOf({ batchId, accountId }: InLine): string {
  return batchId ?? accountId;
}

function placeIn(line: Line | undefined, { id, dispatchedAt }: InLine): number {
  const place = line?.places[id];
  if (place !== undefined) return place;
  return dispatchedAt === null && line?.length === MAX_PLACE ? MAX_PLACE : 1;
}
