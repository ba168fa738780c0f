import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { ANSWERS, columnsFrom, FOUND_COLUMNS } from '../cache/cached-answer.repository.js';
import type { CacheAnswer } from '../job/job-state.js';
import type { EndedFollower } from '../running/job-finalizer.service.js';

/** A queued job that waits for the files of another one, which is final or gone. */
export interface DueFollower extends EndedFollower {
  readonly followedId: string;
  /** What the followed job left; nothing if another visit may succeed. */
  readonly left: 'files' | 'error' | 'nothing';
  /** Whether the file was made after this job was accepted, or answers it from the cache. */
  readonly status: Extract<CacheAnswer, 'coalesced' | 'hit'>;
  readonly createdAt: Date;
  readonly traceContext: string | null;
  /** That of the followed job. */
  readonly followedTraceContext: string | null;
}

/** Rows that one transaction settles. */
const SETTLED_AT_ONCE = 500;

/** The queued jobs that follow others. */
@Injectable()
export class FollowerRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Lists jobs of one account that are followed although they are final or gone. The cost depends on the number of
   * followed jobs, not on that of followers.
   */
  async listFollowed(): Promise<string[]> {
    const ended: { id: string; accountId: string }[] = await this.source.query(ENDED_LEADERS);
    return ended.filter(({ accountId }) => accountId === ended[0]?.accountId).map(({ id }) => id);
  }

  /** Locks followers of these jobs, except those that another transaction is canceling. */
  async lockDue(transaction: Transaction, followedIds: readonly string[]): Promise<DueFollower[]> {
    const locked: { id: string }[] = await transaction.query(
      `SELECT id FROM jobs WHERE follows_id = ANY($1) AND status = 'queued'
        ORDER BY id LIMIT ${SETTLED_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED`,
      [followedIds],
    );
    if (locked.length === 0) return [];
    return transaction.query(DUE, [locked.map(({ id }) => id)]);
  }

  /** queued → failed, with the errors of the jobs that these followers follow. Returns the ids of those that failed. */
  async fail(transaction: Transaction, ids: readonly string[]): Promise<Set<string>> {
    const [failed]: [{ id: string }[], number] = await transaction.query(FAIL, [ids]);
    return new Set(failed.map(({ id }) => id));
  }

  /** Makes followers wait for the dispatcher again. */
  async release(transaction: Transaction, ids: readonly string[]): Promise<void> {
    await transaction.query(`UPDATE jobs SET follows_id = NULL WHERE id = ANY($1) AND status = 'queued'`, [
      ids,
    ]);
  }
}

const FINAL = `status NOT IN ('queued', 'running')`;

/** Skips through the index from one followed job to the next, without reading the followers of each. */
const ENDED_LEADERS = `
  WITH RECURSIVE followed AS (
    (SELECT follows_id AS id, account_id FROM jobs WHERE follows_id IS NOT NULL ORDER BY follows_id LIMIT 1)
    UNION ALL
    SELECT next.* FROM followed CROSS JOIN LATERAL (
      SELECT follows_id, account_id FROM jobs WHERE follows_id > followed.id ORDER BY follows_id LIMIT 1) AS next)
  SELECT followed.id, followed.account_id AS "accountId"
    FROM followed LEFT JOIN jobs AS leader ON leader.id = followed.id
   WHERE leader.id IS NULL OR leader.${FINAL}
   LIMIT ${SETTLED_AT_ONCE}`;

const DUE = `
  SELECT follower.id AS "jobId", follower.account_id AS "accountId", follower.usage_period AS period,
         follower.batch_id AS "batchId", follower.follows_id AS "followedId",
         CASE WHEN ${ANSWERS} THEN 'files'
              WHEN capture.status = 'failed' AND capture.error->>'retryable' = 'false' THEN 'error'
              ELSE 'nothing' END AS "left",
         CASE WHEN capture.finished_at > follower.created_at THEN 'coalesced' ELSE 'hit' END AS status,
         follower.created_at AS "createdAt", follower.trace_context AS "traceContext",
         capture.trace_context AS "followedTraceContext"
    FROM jobs AS follower LEFT JOIN jobs AS capture ON capture.id = follower.follows_id
   WHERE follower.id = ANY($1)
   ORDER BY follower.id`;

const FAIL = `
  UPDATE jobs AS follower
     SET status = 'failed', secrets = NULL, follows_id = NULL, finished_at = clock_timestamp(),
         error = leader.error, error_code = leader.error_code, cache_status = 'coalesced',
         ${columnsFrom('leader', FOUND_COLUMNS)}
    FROM jobs AS leader
   WHERE follower.id = ANY($1) AND follower.status = 'queued' AND leader.id = follower.follows_id
  RETURNING follower.id`;
