import { Injectable } from '@nestjs/common';
import type { PageMetadata } from '@app/capture';
import { DataSource } from 'typeorm';
import type { FinalStatus } from '../job/job-state.js';

/** The outcome of a row of a batch, and what its page says about itself if the capture asked for `metadata`. */
export interface RowOutcome {
  readonly row: number;
  /** Null with the status: the record has expired. */
  readonly id: string | null;
  readonly status: FinalStatus | null;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  /** What the target asked for with `Retry-After`, in seconds. */
  readonly retryAfterS: number | null;
  readonly finalUrl: string | null;
  readonly title: string | null;
  readonly page:
    | (Pick<PageMetadata, 'canonical' | 'robots'> & Partial<Pick<PageMetadata, 'more_links'>>)
    | null;
  readonly links: PageMetadata['links'] | null;
}

/** Reads the rows of a batch that have ended, for what feeds the batch. */
@Injectable()
export class RowOutcomeRepository {
  constructor(private readonly source: DataSource) {}

  /** Those of these rows that have ended, whether or not their records were deleted, and those whose records have expired. */
  listEnded(batchId: string, rows: readonly number[]): Promise<RowOutcome[]> {
    return this.source.query(
      `SELECT wanted.number AS row, id, status, http_status AS "httpStatus", error_code AS "errorCode", final_url AS "finalUrl",
              title, page, page_lists->'links' AS links, (error->>'retry_after_s')::int AS "retryAfterS"
         FROM unnest($2::int[]) AS wanted (number)
         LEFT JOIN jobs ON batch_id = $1 AND batch_row = wanted.number
        WHERE id IS NULL OR finished_at IS NOT NULL ORDER BY wanted.number`,
      [batchId, rows],
    );
  }
}
