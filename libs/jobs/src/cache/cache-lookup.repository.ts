import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { ANSWERS, type CachedAnswer } from './cached-answer.repository.js';
import type { CacheDemand } from './cache-demand.service.js';
import type { CacheKey } from './cache-entry.repository.js';

/** A job that the cache may answer. */
export type AskingJob = CacheKey & Pick<CacheDemand, 'ttlS' | 'staleTtlS'> & { readonly jobId: string };

/** An answer of the cache to a job that has just been accepted. */
export type FoundAnswer = CachedAnswer & { readonly status: 'hit' | 'stale' };

/** Looks up the captures that answer jobs, fresh or stale, for any number of jobs in one statement. */
@Injectable()
export class CacheLookupRepository {
  constructor(private readonly source: DataSource) {}

  find(transaction: Transaction, jobs: readonly AskingJob[]): Promise<FoundAnswer[]> {
    return transaction.query(lookup(LISTED), [
      jobs.map(({ jobId }) => jobId),
      jobs.map(({ accountId }) => accountId),
      jobs.map(({ key }) => key),
      jobs.map(({ ttlS }) => ttlS),
      jobs.map(({ staleTtlS }) => staleTtlS),
    ]);
  }

  /** For the rows of a batch, which the transaction has inserted. */
  findForBatch(transaction: Transaction, batchId: string): Promise<FoundAnswer[]> {
    return transaction.query(lookup(ROWS), [batchId]);
  }

  /** How many captures of an account the cache would answer now. */
  async count(accountId: string, demands: readonly CacheDemand[]): Promise<number> {
    const asking = demands.filter(({ force }) => !force);
    if (asking.length === 0) return 0;
    const found = await this.find(
      this.source.manager,
      asking.map((demand) => ({ ...demand, accountId, jobId: accountId })),
    );
    return found.length;
  }
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
function lookup(asking: string): string {
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
