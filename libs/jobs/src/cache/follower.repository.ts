import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import type { Reservation } from '@app/usage';
import type { Job } from '../job/job.entity.js';
import { IS_WAITING, type CacheAnswer } from '../job/job-state.js';
import { ANSWERS, LEADS, type CacheKey } from './cache-entry.repository.js';
import { columnsFrom, FOUND_COLUMNS } from './cached-answer.repository.js';

/** A queued job that waits for the files of another one, which is final or gone. */
export interface DueFollower extends Reservation, Pick<Job, 'batchId' | 'createdAt' | 'traceContext'> {
  readonly followedId: string;
  /** What the followed job left; nothing if another visit may succeed. */
  readonly left: 'files' | 'error' | 'nothing';
  /** Whether the file was made after this job was accepted, or answers it from the cache. */
  readonly status: Extract<CacheAnswer, 'coalesced' | 'hit'>;
  /** The trace context of the followed job. */
  readonly followedTraceContext: string | null;
}

interface NewFollower {
  readonly id: string;
  readonly followsId: string;
}

/** Jobs that become followers at once: each is a change of its row, while no other job can be dispatched. */
const ADDED_AT_ONCE = 1_000;

/** Rows that one transaction settles. */
const SETTLED_AT_ONCE = 500;

/** The queued jobs that follow others: they wait for the files of those instead of the dispatcher. */
@Injectable()
export class FollowerRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Makes jobs with these keys that wait followers of the capture that is fresh enough for them, or of the unfinished job
   * that makes the next one. They leave the line in which they waited. A job that ignores the cache never follows, and one
   * that another transaction is canceling is skipped.
   *
   * @param first jobs that become followers in any case where their key allows it; of the others only some may
   * @returns the ids of the new followers
   */
  async add(
    transaction: Transaction,
    keys: readonly CacheKey[],
    first: readonly string[] = [],
  ): Promise<Set<string>> {
    const ofOneKey = Math.max(first.length, Math.ceil(ADDED_AT_ONCE / keys.length));
    const followers: NewFollower[] = await transaction.query(LOCK_WAITING, [
      keys.map(({ accountId }) => accountId),
      keys.map(({ key }) => key),
      first,
      ofOneKey,
    ]);
    if (followers.length === 0) return new Set();
    const ids = followers.map(({ id }) => id);
    await transaction.query(
      `UPDATE jobs SET follows_id = follower.follows_id
         FROM unnest($1::uuid[], $2::uuid[]) AS follower (id, follows_id) WHERE jobs.id = follower.id`,
      [ids, followers.map(({ followsId }) => followsId)],
    );
    return new Set(ids);
  }

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

/** `cache_ttl_s` stands in the options of each job that has a key, because it is off by default. */
const IS_FRESH = `entry.captured_at > clock_timestamp() - (options->>'cache_ttl_s')::int * interval '1 s'`;

/**
 * The subqueries are evaluated for one key after the other, by an index. Without statistics of rows that were just stored, the
 * planner would compare all of them with each other.
 */
const LOCK_WAITING = `
  SELECT follower.id, follower.follows_id AS "followsId"
    FROM (SELECT DISTINCT account_id, key FROM unnest($1::uuid[], $2::bytea[]) AS given (account_id, key)) AS listed
   CROSS JOIN LATERAL (
     SELECT entry.account_id, entry.key, entry.captured_at,
            (SELECT id FROM jobs AS capture WHERE capture.id = entry.capture_id AND ${ANSWERS}) AS capture_id,
            (SELECT id FROM jobs AS leader WHERE leader.id = entry.leader_id AND ${LEADS}) AS leader_id
       FROM cache_entries AS entry
      WHERE entry.account_id = listed.account_id AND entry.key = listed.key OFFSET 0) AS entry
   CROSS JOIN LATERAL (
     SELECT id, CASE WHEN entry.capture_id IS NOT NULL AND ${IS_FRESH} THEN entry.capture_id ELSE entry.leader_id END AS follows_id
       FROM jobs
      WHERE account_id = entry.account_id AND cache_key = entry.key AND cache_key IS NOT NULL AND ${IS_WAITING}
        AND cache_status IS NULL
        AND (entry.leader_id IS NOT NULL OR (entry.capture_id IS NOT NULL AND ${IS_FRESH}))
      ORDER BY id = ANY($3::uuid[]) DESC, id LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED) AS follower
   WHERE entry.leader_id IS NOT NULL OR entry.capture_id IS NOT NULL`;

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
