import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FACT_COLUMNS } from '@app/capture';
import { Env } from '@app/config';
import type { Transaction } from '@app/database';
import { copyFiles } from '../job/capture-files.js';
import type { CacheAnswer } from '../job/job-state.js';
import type { CacheDemand } from './cache-demand.service.js';
import { ANSWERS } from './cache-entry.repository.js';

/** A job that asks for the cache. */
export type AskingJob = CacheDemand & { readonly jobId: string; readonly accountId: string };

/** A queued job and the capture that answers it. */
export interface CachedAnswer {
  readonly jobId: string;
  readonly captureId: string;
  readonly status: CacheAnswer;
}

/** An answer of the cache to a job that has just been accepted. */
export type FoundAnswer = CachedAnswer & { readonly status: 'hit' | 'stale' };

/** Finds the captures that answer jobs, and ends the jobs with their files, any number in one statement. */
@Injectable()
export class CachedAnswerRepository {
  constructor(
    private readonly source: DataSource,
    private readonly env: Env,
  ) {}

  /** Finds the captures that answer these jobs, fresh or stale. Those that ignore what the cache holds get no answer. */
  async find(transaction: Transaction, asking: readonly AskingJob[]): Promise<FoundAnswer[]> {
    const jobs = asking.filter(({ force }) => !force);
    if (jobs.length === 0) return [];
    return transaction.query(find(LISTED), [
      jobs.map(({ jobId }) => jobId),
      jobs.map(({ accountId }) => accountId),
      jobs.map(({ key }) => key),
      jobs.map(({ ttlS }) => ttlS),
      jobs.map(({ staleTtlS }) => staleTtlS),
    ]);
  }

  /** Does so for the rows of a batch, which the transaction has inserted. */
  findForBatch(transaction: Transaction, batchId: string): Promise<FoundAnswer[]> {
    return transaction.query(find(ROWS), [batchId]);
  }

  /** Counts how many captures of an account the cache would answer now. */
  async count(accountId: string, demands: readonly CacheDemand[]): Promise<number> {
    const found = await this.find(
      this.source.manager,
      demands.map((demand) => ({ ...demand, accountId, jobId: accountId })),
    );
    return found.length;
  }

  /**
   * queued → succeeded for these jobs, which the transaction has locked while they were queued, or has inserted. It also holds
   * the files of the captures (`SharedFilesRepository.hold`). A capture whose own record has lost its file in the meantime
   * answers no job. A job keeps the files for as long as it asked to, and no job has times of a visit.
   *
   * @returns the ids of the jobs that have ended
   */
  async end(transaction: Transaction, answers: readonly CachedAnswer[]): Promise<Set<string>> {
    if (answers.length === 0) return new Set();
    const ended: { id: string }[] = await transaction.query(END, [
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

/** What a row says of the files of its capture. */
const FILE_COLUMNS = [
  'result_key',
  'content_type',
  'bytes',
  'sha256',
  'other_files',
  'total_bytes',
  'origin_id',
];

/** Assignments of these columns of the row `source`. */
export function columnsFrom(source: string, columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${source}.${column}`).join(', ');
}

const LISTED = `unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::int[], $5::int[])
  AS asking (id, account_id, key, ttl_s, stale_ttl_s)`;

const ROWS = `(SELECT id, account_id, cache_key AS key, (options->>'cache_ttl_s')::int AS ttl_s,
                coalesce((options->>'stale_ttl_s')::int, 0) AS stale_ttl_s
           FROM jobs
          WHERE batch_id = $1 AND status = 'queued' AND cache_key IS NOT NULL AND cache_status IS NULL) AS asking`;

/**
 * Reads entries and captures one by one, by their keys, as the planner would not do without statistics.
 *
 * @param asking SQL of the jobs, with their keys and TTLs
 */
function find(asking: string): string {
  return `
  SELECT asking.id AS "jobId", capture.id AS "captureId",
         CASE WHEN entry.age_s < asking.ttl_s THEN 'hit' ELSE 'stale' END AS status
    FROM ${asking}
   CROSS JOIN LATERAL (
     SELECT capture_id, extract(epoch FROM clock_timestamp() - captured_at) AS age_s FROM cache_entries
      WHERE account_id = asking.account_id AND key = asking.key OFFSET 0) AS entry
   CROSS JOIN LATERAL (
     SELECT capture.id FROM jobs AS capture WHERE capture.id = entry.capture_id AND ${ANSWERS} OFFSET 0) AS capture
   WHERE entry.age_s < asking.ttl_s + asking.stale_ttl_s`;
}

/**
 * The captures are read one by one, by their ids: without statistics of rows that were just stored, the planner would compare
 * all of them with each other.
 */
const END = `
  WITH ended AS (
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
  RETURNING job.id, answer.capture_id),
  shown AS (${copyFiles('ended')})
  SELECT id FROM ended`;
