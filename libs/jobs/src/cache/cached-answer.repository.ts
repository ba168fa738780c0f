import { Injectable } from '@nestjs/common';
import { FACT_COLUMNS } from '@app/capture';
import { Env } from '@app/config';
import type { Transaction } from '@app/database';
import type { CacheAnswer } from '../job/job-state.js';

/** A queued job and the capture that answers it. */
export interface CachedAnswer {
  readonly jobId: string;
  readonly captureId: string;
  readonly status: CacheAnswer;
}

/** Ends queued jobs with the files of captures that the cache keeps, any number in one statement. */
@Injectable()
export class CachedAnswerRepository {
  constructor(private readonly env: Env) {}

  /**
   * queued → succeeded for these jobs, which the transaction has locked while they were queued, or has inserted. It also holds
   * the files of the captures (`SharedFilesRepository.hold`). A capture whose own record has lost its file in the meantime
   * answers for nobody. A job keeps the files for as long as it asked to, and no job has times of a visit.
   *
   * @returns the ids of the jobs that have ended
   */
  async give(transaction: Transaction, answers: readonly CachedAnswer[]): Promise<Set<string>> {
    if (answers.length === 0) return new Set();
    const [ended]: [{ id: string }[], number] = await transaction.query(GIVE, [
      answers.map(({ jobId }) => jobId),
      answers.map(({ captureId }) => captureId),
      answers.map(({ status }) => status),
      this.env.RESULT_TTL_S,
      this.env.RECORD_TTL_S,
    ]);
    return new Set(ended.map(({ id }) => id));
  }
}

/** What a capture found out. */
export const FOUND_COLUMNS = FACT_COLUMNS.map(({ name }) => name);

/** The files of a capture. */
const FILE_COLUMNS = [
  'result_key',
  'content_type',
  'bytes',
  'sha256',
  'other_files',
  'total_bytes',
  'origin_id',
];

/** The condition that a capture, under the alias `capture`, can answer with its files. */
export const ANSWERS = `capture.status = 'succeeded' AND capture.result_key IS NOT NULL AND capture.deleted_at IS NULL
  AND capture.origin_id IS NOT NULL AND capture.expires_at > clock_timestamp()`;

/** Assignments of these columns of the row `source`. */
export function columnsFrom(source: string, columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${source}.${column}`).join(', ');
}

/**
 * The captures are read one by one, by their ids: without statistics of rows that were just stored, the planner would compare
 * all of them with each other.
 */
const GIVE = `
  UPDATE jobs AS job
     SET status = 'succeeded', secrets = NULL, follows_id = NULL, finished_at = clock_timestamp(),
         expires_at = clock_timestamp()
           + least(coalesce((job.options->>'expires_in_s')::int, $4::int), $5::int) * interval '1 s',
         cache_status = answer.status,
         cache_age_s = greatest(0, floor(extract(epoch FROM clock_timestamp() - capture.finished_at)))::int,
         ${columnsFrom('capture', [...FOUND_COLUMNS, ...FILE_COLUMNS])}
    FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS answer (job_id, capture_id, status)
   CROSS JOIN LATERAL (
     SELECT * FROM jobs AS capture WHERE capture.id = answer.capture_id AND ${ANSWERS} OFFSET 0) AS capture
   WHERE job.id = answer.job_id
  RETURNING job.id`;
