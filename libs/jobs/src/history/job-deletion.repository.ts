import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FACT_COLUMNS } from '@app/capture';
import type { Transaction } from '@app/database';
import { KeptCaptureRepository } from '../cache/kept-capture.repository.js';
import type { Job } from '../job/job.entity.js';
import { jobOf } from '../job/job.repository.js';

/** Clears the rows of deleted jobs. */
@Injectable()
export class JobDeletionRepository {
  constructor(
    private readonly source: DataSource,
    private readonly cache: KeptCaptureRepository,
  ) {}

  /**
   * Removes what the caller and the page wrote from a final job, and hides the row if the record is deleted as well. Times,
   * sizes and codes stay for the statistics. The key of the file stays until the store has deleted it; the file counts as
   * expired, so that the expiry deletes it if this process dies first. The key of a file that is shared does not: another
   * row owns it.
   */
  async erase(transaction: Transaction, id: string, withRecord: boolean): Promise<Job | null> {
    const [[row]]: [Record<string, unknown>[], number] = await transaction.query(ERASE, [id, withRecord]);
    return row ? jobOf(this.source, row) : null;
  }

  /** The files of an erased job answer no request any more, whether it made them or only showed them. */
  async forgetFiles(transaction: Transaction, { originId }: Job): Promise<void> {
    if (originId !== null) await this.cache.forget(originId, transaction);
  }
}

/** What the caller and the page wrote. */
const WRITTEN_COLUMNS = [
  ...['secrets', 'reference', 'url', 'host', 'webhook_url', 'request_id', 'trace_context'],
  ...['capture_key', 'cache_key', 'sha256', 'other_files'],
  ...FACT_COLUMNS.filter(({ isErased }) => isErased).map(({ name }) => name),
];

const ERASE = `
  UPDATE jobs
     SET options = '{}', ${WRITTEN_COLUMNS.map((column) => `${column} = NULL`).join(', ')},
         error = (error - '{net_error,errors,verdict}'::text[]) || jsonb_build_object('detail', error->'title'),
         result_key = CASE WHEN origin_id IS NULL THEN result_key END,
         expires_at = CASE WHEN result_key IS NULL THEN expires_at ELSE least(expires_at, clock_timestamp()) END,
         deleted_at = coalesce(deleted_at, clock_timestamp()),
         record_deleted = record_deleted OR $2
   WHERE id = $1 AND status NOT IN ('queued', 'running')
  RETURNING *`;
