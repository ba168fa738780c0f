import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import type { Job } from '../job/job.entity.js';
import { jobOf } from '../job/job.repository.js';
import { SharedFilesRepository } from './shared-files.repository.js';

/** An entry of the cache: the captures of an account with the same key. */
export interface CacheKey {
  readonly accountId: string;
  readonly key: Buffer;
}

/** A job that makes the capture of an entry. */
export interface Leader extends CacheKey {
  readonly jobId: string;
}

/** A capture that answers for others, and how old it is by the clock of the database. */
export interface CachedCapture {
  readonly capture: Job;
  readonly ageS: number;
}

/** What the cache holds for a key. */
export interface CacheEntry {
  /** The latest capture, however old it is; null if there is none whose files still exist. */
  readonly cached: CachedCapture | null;
  /** The unfinished job that makes the next one. */
  readonly leaderId: string | null;
}

/**
 * The rows of the cache. An entry answers with a capture only while the row of that capture has its files. A leader counts
 * only while its job is unfinished, which every job ends to be, so that no lease is needed.
 */
@Injectable()
export class CacheEntryRepository {
  constructor(
    private readonly source: DataSource,
    private readonly files: SharedFilesRepository,
  ) {}

  /** Reads what the cache holds, without a lock. */
  async find(
    { accountId, key }: CacheKey,
    transaction: Transaction = this.source.manager,
  ): Promise<CacheEntry> {
    const [row]: Row[] = await transaction.query(
      `SELECT capture.*, entry.captured_at AS entry_captured_at,
              floor(extract(epoch FROM clock_timestamp() - entry.captured_at))::int AS entry_age_s,
              leader.id AS entry_leader_id
         FROM cache_entries AS entry
         LEFT JOIN jobs AS capture ON capture.id = entry.capture_id AND ${ANSWERS}
         LEFT JOIN jobs AS leader ON leader.id = entry.leader_id AND ${LEADS}
        WHERE entry.account_id = $1 AND entry.key = $2`,
      [accountId, key],
    );
    if (!row) return NOTHING;
    const cached =
      row.id === null ? null : { capture: jobOf(this.source, row), ageS: Math.max(0, row.entry_age_s ?? 0) };
    return { cached, leaderId: row.entry_leader_id };
  }

  /**
   * Locks these entries in the order of their keys. Those that do not exist are inserted. What they hold must be read in
   * another statement, which sees what others have stored before they released the locks.
   */
  async lock(transaction: Transaction, keys: readonly CacheKey[]): Promise<void> {
    await transaction.query(
      `INSERT INTO cache_entries (account_id, key, kept_until)
       SELECT account_id, key, clock_timestamp() + ${LEADERS_TIME}
         FROM (SELECT DISTINCT account_id, key FROM ${LISTED_KEYS}) AS listed ORDER BY key, account_id
       ON CONFLICT (account_id, key) DO UPDATE SET kept_until = greatest(cache_entries.kept_until, excluded.kept_until)`,
      columnsOf(keys),
    );
  }

  /** Makes these jobs the leaders of their entries, which are locked, except where another one leads. */
  async setLeaders(transaction: Transaction, leaders: readonly Leader[]): Promise<void> {
    await transaction.query(
      `UPDATE cache_entries AS entry SET leader_id = led.job_id
         FROM unnest($1::uuid[], $2::bytea[], $3::uuid[]) AS led (account_id, key, job_id)
        WHERE entry.account_id = led.account_id AND entry.key = led.key
          AND NOT EXISTS (SELECT FROM jobs AS leader WHERE leader.id = entry.leader_id AND ${LEADS})`,
      [...columnsOf(leaders), leaders.map(({ jobId }) => jobId)],
    );
  }

  /**
   * Keeps a capture that has succeeded with a visit of its own, until its file expires. From now on `shared_files` owns its
   * files. A later capture that ended sooner stays.
   *
   * @param keys of its files in the store
   */
  async keep(transaction: Transaction, job: Job, keys: readonly string[]): Promise<void> {
    const { id, accountId, cacheKey, finishedAt, expiresAt } = job;
    await this.files.add(transaction, job, keys);
    const [replaced]: { capture_id: string | null }[] = await transaction.query(
      `SELECT capture_id FROM cache_entries WHERE account_id = $1 AND key = $2 FOR UPDATE`,
      [accountId, cacheKey],
    );
    await transaction.query(
      `INSERT INTO cache_entries AS entry (account_id, key, capture_id, captured_at, kept_until) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (account_id, key) DO UPDATE
         SET capture_id = excluded.capture_id, captured_at = excluded.captured_at, kept_until = excluded.kept_until,
             leader_id = nullif(entry.leader_id, excluded.capture_id)
       WHERE entry.captured_at IS NULL OR entry.captured_at <= excluded.captured_at`,
      [accountId, cacheKey, id, finishedAt, expiresAt],
    );
    if (replaced?.capture_id) await this.files.check(transaction, [replaced.capture_id]);
  }

  /**
   * Makes the cache forget a capture, because the store has lost its files or a caller deleted a record that shows them. No
   * further record shows the files; those that do keep them.
   */
  async forget(captureId: string, transaction: Transaction = this.source.manager): Promise<void> {
    await transaction.query(
      `UPDATE cache_entries SET capture_id = NULL, captured_at = NULL WHERE capture_id = $1`,
      [captureId],
    );
    await this.files.close(transaction, captureId);
  }
}

type Row = Record<string, unknown> & {
  readonly entry_age_s: number | null;
  readonly entry_leader_id: string | null;
};

const NOTHING: CacheEntry = { cached: null, leaderId: null };

/** The condition that a capture, under the alias `capture`, can answer with its files. */
export const ANSWERS = `capture.status = 'succeeded' AND capture.result_key IS NOT NULL AND capture.deleted_at IS NULL
  AND capture.origin_id IS NOT NULL AND capture.expires_at > clock_timestamp()`;

/** The condition that the job under the alias `leader` makes the next capture of its entry. */
export const LEADS = `leader.status IN ('queued', 'running')`;

/** An entry without a capture is kept for as long as any leader may take. */
const LEADERS_TIME = `interval '1 hour'`;

const LISTED_KEYS = `unnest($1::uuid[], $2::bytea[]) AS listed (account_id, key)`;

/** The parameters of `LISTED_KEYS`. */
function columnsOf(keys: readonly CacheKey[]): [string[], Buffer[]] {
  return [keys.map(({ accountId }) => accountId), keys.map(({ key }) => key)];
}
