import { Injectable } from '@nestjs/common';
import type { PageMetadata } from '@app/capture';
import { DataSource } from 'typeorm';
import type { FinalStatus } from '../job/job-state.js';

/** The outcome of a row of a batch, and what its page says about itself if the capture asked for `metadata`. */
export interface RowOutcome {
  readonly row: number;
  readonly id: string;
  readonly status: FinalStatus;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly finalUrl: string | null;
  readonly title: string | null;
  readonly page: Pick<PageMetadata, 'canonical' | 'robots'> | null;
  readonly links: PageMetadata['links'] | null;
}

/** Reads the rows of a batch that have ended, for what feeds the batch. */
@Injectable()
export class RowOutcomeRepository {
  constructor(private readonly source: DataSource) {}

  /** Those of these rows that have ended, whether or not their records were deleted. */
  listEnded(batchId: string, rows: readonly number[]): Promise<RowOutcome[]> {
    return this.source.query(
      `SELECT batch_row AS row, id, status, http_status AS "httpStatus", error_code AS "errorCode", final_url AS "finalUrl",
              title, page, page_lists->'links' AS links
         FROM jobs WHERE batch_id = $1 AND batch_row = ANY($2) AND finished_at IS NOT NULL ORDER BY batch_row`,
      [batchId, rows],
    );
  }
}
