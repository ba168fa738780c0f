import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Job } from '../job/job.entity.js';
import { LEADS } from './cache-entry.repository.js';

/** A capture that answered although it was stale, with what is needed to make it again. */
export type StaleCapture = Pick<Job, 'id' | 'accountId' | 'options'>;

/** A capture that fails is not made again and again for each stale answer. */
const EVERY = `interval '10 s'`;

/** Decides which process makes a stale capture again. */
@Injectable()
export class RevalidationRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Returns those of these captures that the caller now has to make again, which it decides at most every ten seconds for
   * each entry of the cache, and not while a job makes the next capture anyway.
   */
  async elect(captureIds: readonly string[]): Promise<StaleCapture[]> {
    const [elected]: [StaleCapture[], number] = await this.source.query(
      // Locks the entries in the order of their keys, as the dispatcher does.
      `WITH due AS MATERIALIZED (
         SELECT account_id, key, capture_id FROM cache_entries AS entry
          WHERE capture_id = ANY($1)
            AND (revalidated_at IS NULL OR revalidated_at < clock_timestamp() - ${EVERY})
            AND NOT EXISTS (SELECT FROM jobs AS leader
                             WHERE leader.id = entry.leader_id AND ${LEADS})
          ORDER BY key, account_id FOR NO KEY UPDATE)
       UPDATE cache_entries AS entry SET revalidated_at = clock_timestamp()
         FROM due JOIN jobs AS capture ON capture.id = due.capture_id AND capture.deleted_at IS NULL
        WHERE entry.account_id = due.account_id AND entry.key = due.key
       RETURNING capture.id, capture.account_id AS "accountId", capture.options`,
      [captureIds],
    );
    return elected;
  }
}
