import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { ANSWERS } from '../cache/cached-answer.repository.js';
import type { CacheKey } from '../cache/cache-entry.repository.js';
import { WAITING } from './dispatch.repository.js';

/** A job that is dispatched to make the capture of an entry. */
export interface Leader extends CacheKey {
  readonly jobId: string;
}

/** Jobs that one statement makes followers: it changes each row, while no other job can be dispatched. */
const FOLLOWERS_AT_ONCE = 1_000;

/** The entries of the cache as the dispatcher uses them: of identical jobs one leads, and the others follow it. */
@Injectable()
export class ElectionRepository {
  /** Locks these entries in the order of their keys. Those that do not exist are inserted. */
  async lock(transaction: Transaction, keys: readonly CacheKey[]): Promise<void> {
    await transaction.query(
      `INSERT INTO cache_entries (account_id, key, kept_until)
       SELECT account_id, key, clock_timestamp() + interval '1 hour'
         FROM (SELECT DISTINCT account_id, key FROM ${LISTED}) AS listed ORDER BY key, account_id
       ON CONFLICT (account_id, key) DO UPDATE SET kept_until = greatest(cache_entries.kept_until, excluded.kept_until)`,
      parametersOf(keys),
    );
  }

  /**
   * Makes jobs with these keys that wait followers of the capture that is fresh enough for them, or of the unfinished job
   * that makes the next one. They leave the line in which they waited. A job that ignores the cache never follows, and one
   * that another transaction is canceling is skipped.
   *
   * @param first jobs that are among the new followers if any are, because only some may be made followers at once
   * @returns the ids of the new followers
   */
  async follow(
    transaction: Transaction,
    keys: readonly CacheKey[],
    first: readonly string[] = [],
  ): Promise<Set<string>> {
    const [followers]: [{ id: string }[], number] = await transaction.query(FOLLOW, [
      ...parametersOf(keys),
      first,
    ]);
    return new Set(followers.map(({ id }) => id));
  }

  /** Makes these jobs the leaders of their entries, which are locked, except where another one leads. */
  async lead(transaction: Transaction, leaders: readonly Leader[]): Promise<void> {
    await transaction.query(
      `UPDATE cache_entries AS entry SET leader_id = led.job_id
         FROM unnest($1::uuid[], $2::bytea[], $3::uuid[]) AS led (account_id, key, job_id)
        WHERE entry.account_id = led.account_id AND entry.key = led.key
          AND NOT EXISTS (SELECT FROM jobs AS leader WHERE leader.id = entry.leader_id AND ${UNFINISHED})`,
      [...parametersOf(leaders), leaders.map(({ jobId }) => jobId)],
    );
  }
}

function parametersOf(keys: readonly CacheKey[]): unknown[] {
  return [keys.map(({ accountId }) => accountId), keys.map(({ key }) => key)];
}

const LISTED = `unnest($1::uuid[], $2::bytea[]) AS listed (account_id, key)`;

const UNFINISHED = `leader.status IN ('queued', 'running')`;

/** `cache_ttl_s` stands in the options of each job that has a key, because it is off by default. */
const IS_FRESH = `capture.id IS NOT NULL
  AND entry.captured_at > clock_timestamp() - (job.options->>'cache_ttl_s')::int * interval '1 s'`;

const FOLLOW = `
  WITH followers AS MATERIALIZED (
    SELECT job.id, CASE WHEN ${IS_FRESH} THEN capture.id ELSE leader.id END AS follows_id
      FROM (SELECT DISTINCT account_id, key FROM ${LISTED}) AS listed
      JOIN cache_entries AS entry USING (account_id, key)
      LEFT JOIN jobs AS capture ON capture.id = entry.capture_id AND ${ANSWERS}
      LEFT JOIN jobs AS leader ON leader.id = entry.leader_id AND ${UNFINISHED}
     CROSS JOIN LATERAL (
       SELECT id, options FROM jobs
        WHERE account_id = entry.account_id AND cache_key = entry.key AND cache_key IS NOT NULL AND ${WAITING}
          AND cache_status IS NULL) AS job
     WHERE leader.id IS NOT NULL OR ${IS_FRESH}
     ORDER BY job.id = ANY($3::uuid[]) DESC, job.id LIMIT ${FOLLOWERS_AT_ONCE}),
  locked AS MATERIALIZED (
    SELECT id FROM jobs WHERE id IN (SELECT id FROM followers) AND ${WAITING} ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE jobs SET follows_id = followers.follows_id
    FROM followers JOIN locked ON locked.id = followers.id
   WHERE jobs.id = followers.id
  RETURNING jobs.id`;
