import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { selectFiles } from '../job/capture-files.js';
import type { Job } from '../job/job.entity.js';
import { jobOf } from '../job/job.repository.js';

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

/** A capture that answered although it was stale, with what is needed to make it again. */
export type StaleCapture = Pick<Job, 'id' | 'accountId' | 'options'>;

/**
 * The entries of the cache: the capture that each answers with, and the job that leads it. An entry answers with a capture only
 * while the row of that capture has its files. A leader counts only while its job is unfinished, which every job ends to be, so
 * that no lease is needed.
 */
@Injectable()
export class CacheEntryRepository {
  constructor(private readonly source: DataSource) {}

  /** Reads what the cache holds, without a lock. */
  async find(
    { accountId, key }: CacheKey,
    transaction: Transaction = this.source.manager,
  ): Promise<CacheEntry> {
    const [row]: Row[] = await transaction.query(
      `SELECT capture.*, ${selectFiles('capture')} AS files, entry.captured_at AS entry_captured_at,
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
   * Returns the captures among these that the caller now has to make again. For each entry, one process does so at most every
   * ten seconds, and none while a job makes the next capture anyway.
   */
  async claimRenewals(captureIds: readonly string[]): Promise<StaleCapture[]> {
    const [claimed]: [StaleCapture[], number] = await this.source.query(CLAIM_RENEWALS, [captureIds]);
    return claimed;
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

/** A capture that fails is not made again and again for each stale answer. */
const RENEWED_EVERY = `interval '10 s'`;

const LISTED_KEYS = `unnest($1::uuid[], $2::bytea[]) AS listed (account_id, key)`;

/** The parameters of `LISTED_KEYS`. */
function columnsOf(keys: readonly CacheKey[]): [string[], Buffer[]] {
  return [keys.map(({ accountId }) => accountId), keys.map(({ key }) => key)];
}

/** Locks the entries in the order of their keys, as the dispatcher does. */
const CLAIM_RENEWALS = `
  WITH due AS MATERIALIZED (
    SELECT account_id, key, capture_id FROM cache_entries AS entry
     WHERE capture_id = ANY($1)
       AND (revalidated_at IS NULL OR revalidated_at < clock_timestamp() - ${RENEWED_EVERY})
       AND NOT EXISTS (SELECT FROM jobs AS leader WHERE leader.id = entry.leader_id AND ${LEADS})
     ORDER BY key, account_id FOR NO KEY UPDATE)
  UPDATE cache_entries AS entry SET revalidated_at = clock_timestamp()
    FROM due JOIN jobs AS capture ON capture.id = due.capture_id AND capture.deleted_at IS NULL
   WHERE entry.account_id = due.account_id AND entry.key = due.key
  RETURNING capture.id, capture.account_id AS "accountId", capture.options`;
