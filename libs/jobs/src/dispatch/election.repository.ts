import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { ANSWERS } from '../cache/cached-answer.repository.js';
import { LEADS, type CacheKey } from '../cache/cache-entry.repository.js';
import { IS_WAITING } from '../job/job-state.js';

/** Jobs that become followers at once: each is a change of its row, while no other job can be dispatched. */
const FOLLOWERS_AT_ONCE = 1_000;

interface Follower {
  readonly id: string;
  readonly followsId: string;
}

/** Jobs that wait for the captures of others. */
@Injectable()
export class ElectionRepository {
  /**
   * Makes jobs with these keys that wait followers of the capture that is fresh enough for them, or of the unfinished job
   * that makes the next one. They leave the line in which they waited. A job that ignores the cache never follows, and one
   * that another transaction is canceling is skipped.
   *
   * @param first jobs that become followers in any case where their key allows it; of the others only some may
   * @returns the ids of the new followers
   */
  async follow(
    transaction: Transaction,
    keys: readonly CacheKey[],
    first: readonly string[] = [],
  ): Promise<Set<string>> {
    const ofOneKey = Math.max(first.length, Math.ceil(FOLLOWERS_AT_ONCE / keys.length));
    const followers: Follower[] = await transaction.query(LOCK_FOLLOWERS, [
      ...parametersOf(keys),
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
}

function parametersOf(keys: readonly CacheKey[]): unknown[] {
  return [keys.map(({ accountId }) => accountId), keys.map(({ key }) => key)];
}

const LISTED = `unnest($1::uuid[], $2::bytea[]) AS listed (account_id, key)`;

/** `cache_ttl_s` stands in the options of each job that has a key, because it is off by default. */
const IS_FRESH = `entry.captured_at > clock_timestamp() - (options->>'cache_ttl_s')::int * interval '1 s'`;

/**
 * The subqueries are evaluated for one key after the other, by an index. Without statistics of rows that were just stored, the
 * planner would compare all of them with each other.
 */
const LOCK_FOLLOWERS = `
  SELECT follower.id, follower.follows_id AS "followsId"
    FROM (SELECT DISTINCT account_id, key FROM ${LISTED}) AS listed
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
