import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Job } from './job.entity.js';

/** Counting stops here: further back the place says nothing more, and would cost more the longer the line is. */
export const MAX_PLACE = 1_000;

/** What the line is asked about a job. */
export type InLine = Pick<Job, 'id' | 'accountId' | 'status' | 'dispatchedAt' | 'createdAt'>;

/** The jobs of an account that wait in the database for their turn; each account has a line of its own. */
@Injectable()
export class WaitingLine {
  constructor(private readonly source: DataSource) {}

  /** The place of each of these jobs that is queued, from 1; what has left the line and is not run yet comes next. */
  async placesOf(jobs: readonly InLine[]): Promise<Map<string, number>> {
    const queued = jobs.filter(({ status }) => status === 'queued');
    const waiting = queued.filter(({ dispatchedAt }) => dispatchedAt === null);
    const lines = new Map((await this.read(waiting)).map((line) => [line.account_id, line]));
    return new Map(queued.map((job) => [job.id, placeIn(lines.get(job.accountId), job)]));
  }

  private async read(jobs: readonly InLine[]): Promise<Line[]> {
    if (jobs.length === 0) return [];
    const ends = new Map<string, Date>();
    for (const { accountId, createdAt } of jobs) {
      const known = ends.get(accountId);
      if (!known || known < createdAt) ends.set(accountId, createdAt);
    }
    return this.source.query(
      `SELECT account.id AS account_id, count(*)::int AS length,
              coalesce(jsonb_object_agg(line.id, line.place) FILTER (WHERE line.id = ANY($3)), '{}') AS places
         FROM unnest($1::uuid[], $2::timestamptz[]) AS account (id, until)
        CROSS JOIN LATERAL (
          SELECT id, row_number() OVER (ORDER BY created_at, id) AS place FROM jobs
           WHERE account_id = account.id AND status = 'queued' AND dispatched_at IS NULL
             AND created_at <= account.until
           ORDER BY created_at, id LIMIT ${MAX_PLACE}) AS line
        GROUP BY account.id`,
      [[...ends.keys()], [...ends.values()], jobs.map(({ id }) => id)],
    );
  }
}

/** One account's, up to the last job that was asked for. */
interface Line {
  readonly account_id: string;
  readonly length: number;
  readonly places: Readonly<Record<string, number>>;
}

function placeIn(line: Line | undefined, { id, dispatchedAt }: InLine): number {
  const place = line?.places[id];
  if (place !== undefined) return place;
  return dispatchedAt === null && line?.length === MAX_PLACE ? MAX_PLACE : 1;
}
