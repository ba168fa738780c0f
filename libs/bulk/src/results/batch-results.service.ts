import { Injectable } from '@nestjs/common';
import { BatchRowQueryRepository, type Job, type JobStatus } from '@app/jobs';

export interface ResultsRequest {
  readonly status?: JobStatus;
  readonly limit: number;
  /** The row after which the page begins. */
  readonly after?: number;
}

export interface ResultsPage {
  readonly items: Job[];
  readonly nextCursor: string | null;
}

/** Lists the jobs of a batch page by page, in row order, finished or not. */
@Injectable()
export class BatchResultsService {
  constructor(private readonly rows: BatchRowQueryRepository) {}

  async list(batchId: string, { status, limit, after = 0 }: ResultsRequest): Promise<ResultsPage> {
    // One more than requested shows whether there is a next page.
    const jobs = await this.rows.list(batchId, { status, after, limit: limit + 1 });
    const items = jobs.slice(0, limit);
    const row = items.at(-1)?.batchRow ?? null;
    return { items, nextCursor: jobs.length > limit && row !== null ? encodeRowCursor(row) : null };
  }
}

const CURSOR = /^row\.([1-9]\d{0,8})$/;

/** The position after this row. Opaque to callers, so that its content may change. */
export function encodeRowCursor(row: number): string {
  return Buffer.from(`row.${row}`).toString('base64url');
}

/** The row of a cursor; undefined for any other text. */
export function decodeRowCursor(text: string): number | undefined {
  const [, row] = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (row === undefined || encodeRowCursor(Number(row)) !== text) return undefined;
  return Number(row);
}
