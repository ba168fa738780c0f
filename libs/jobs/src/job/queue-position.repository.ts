import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Job } from './job.entity.js';
import { IS_WAITING } from './job-state.js';

/** The highest position that is counted. Beyond it the position says little, and counting would cost more with every job. */
export const MAX_POSITION = 1_000;

/** The columns of a job that its position depends on. */
export type PositionedJob = Pick<
  Job,
  'id' | 'accountId' | 'batchId' | 'status' | 'dispatchedAt' | 'createdAt'
>;

/** The positions of jobs that wait in the database. The single jobs of an account form one line, each batch another. */
@Injectable()
export class QueuePositionRepository {
  constructor(private readonly source: DataSource) {}

  /** Returns the position of each of these jobs that is queued, from 1; a job that was dispatched already has position 1. */
  async read(jobs: readonly PositionedJob[]): Promise<Map<string, number>> {
    const queued = jobs.filter(({ status }) => status === 'queued');
    const waiting = queued.filter(({ dispatchedAt }) => dispatchedAt === null);
    const lines = new Map((await this.readLines(waiting)).map((line) => [line.id, line]));
    return new Map(queued.map((job) => [job.id, positionIn(lines.get(lineOf(job)), job)]));
  }

  private async readLines(jobs: readonly PositionedJob[]): Promise<Line[]> {
    if (jobs.length === 0) return [];
    const lines = new Map<string, { account_id: string; until: Date }>();
    for (const job of jobs) {
      const known = lines.get(lineOf(job));
      if (known && known.until >= job.createdAt) continue;
      lines.set(lineOf(job), { account_id: job.accountId, until: job.createdAt });
    }
    return this.source.query(
      `SELECT line.id, count(*)::int AS length,
              coalesce(jsonb_object_agg(job.id, job.position) FILTER (WHERE job.id = ANY($4)), '{}') AS positions
         FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS line (id, account_id, until)
        CROSS JOIN LATERAL (
          SELECT id, row_number() OVER (ORDER BY created_at, batch_row, id) AS position FROM jobs
           WHERE account_id = line.account_id AND coalesce(batch_id, account_id) = line.id
             AND ${IS_WAITING} AND created_at <= line.until
           ORDER BY created_at, batch_row, id LIMIT ${MAX_POSITION}) AS job
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

/** The part of a line up to the last job that was asked for. */
interface Line {
  readonly id: string;
  readonly length: number;
  readonly positions: Readonly<Record<string, number>>;
}

/** The line of single jobs has the id of their account. */
function lineOf({ batchId, accountId }: PositionedJob): string {
  return batchId ?? accountId;
}

function positionIn(line: Line | undefined, { id, dispatchedAt }: PositionedJob): number {
  const position = line?.positions[id];
  if (position !== undefined) return position;
  return dispatchedAt === null && line?.length === MAX_POSITION ? MAX_POSITION : 1;
}
