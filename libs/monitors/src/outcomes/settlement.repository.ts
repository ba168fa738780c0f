import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import type { Monitor } from '../monitor.entity.js';
import type { MonitorPage } from '../monitor-page.entity.js';
import type { MonitorCheck } from '../monitor-check.entity.js';
import type { PauseReason } from '../monitor-state.js';

/** The end of a check. */
export type CheckEnd = Pick<MonitorCheck, 'id' | 'outcome' | 'reason' | 'change' | 'error'>;

/** Writes the ends of checks, many in one statement, for monitors that the transaction has locked. */
@Injectable()
export class SettlementRepository {
  /** Returns the checks that have ended now. */
  async endChecks(transaction: Transaction, ends: readonly CheckEnd[]): Promise<Map<string, MonitorCheck>> {
    const [rows]: [{ id: string }[], number] = await transaction.query(
      `UPDATE monitor_checks AS ended
          SET outcome = new.outcome, reason = new.reason, change = new.change, error = new.error,
              finished_at = clock_timestamp()
         FROM json_to_recordset($1) AS new (id uuid, outcome text, reason text, change json, error json)
        WHERE ended.id = new.id AND ended.outcome IS NULL
       RETURNING ended.id, ended.monitor_id AS "monitorId", ended.account_id AS "accountId", ended.page, ended.url,
         ended.due_at AS "dueAt", ended.trigger, ended.missed, ended.capture_ids AS "captureIds", ended.job_id AS "jobId",
         ended.outcome, ended.reason, ended.change, ended.error, ended.files_kept AS "filesKept", ended.created_at AS "createdAt",
         ended.finished_at AS "finishedAt"`,
      [JSON.stringify(ends)],
    );
    return new Map((rows as MonitorCheck[]).map((row) => [row.id, row]));
  }

  async updatePages(
    transaction: Transaction,
    pages: readonly Pick<MonitorPage, 'monitorId' | 'page' | 'baselineId' | 'failures'>[],
  ): Promise<void> {
    await transaction.query(
      `UPDATE monitor_pages AS page SET baseline_id = new.baseline_id, failures = new.failures
         FROM unnest($1::uuid[], $2::integer[], $3::uuid[], $4::integer[]) AS new (monitor_id, page, baseline_id, failures)
        WHERE page.monitor_id = new.monitor_id AND page.page = new.page`,
      [
        pages.map(({ monitorId }) => monitorId),
        pages.map(({ page }) => page),
        pages.map(({ baselineId }) => baselineId),
        pages.map(({ failures }) => failures),
      ],
    );
  }

  /** Pauses an active monitor; false when it was paused already. */
  async pause(transaction: Transaction, { id }: Pick<Monitor, 'id'>, reason: PauseReason): Promise<boolean> {
    const [, paused]: [unknown, number] = await transaction.query(
      `UPDATE monitors SET state = 'paused', pause_reason = $2 WHERE id = $1 AND state = 'active'`,
      [id, reason],
    );
    return paused > 0;
  }

  /** Whether all pages of the monitor have failed as often as it may. */
  async hasFailedForGood(
    transaction: Transaction,
    { id, pauseAfterFailures }: Pick<Monitor, 'id' | 'pauseAfterFailures'>,
  ): Promise<boolean> {
    const [row] = await transaction.query<{ fewest: number }[]>(
      `SELECT min(failures) AS fewest FROM monitor_pages WHERE monitor_id = $1`,
      [id],
    );
    return pauseAfterFailures !== null && (row?.fewest ?? 0) >= pauseAfterFailures;
  }

  /** The captures of these pages whose files are no longer kept. They are returned once. */
  async releaseFiles(
    transaction: Transaction,
    pages: readonly Pick<MonitorPage, 'monitorId' | 'page'>[],
  ): Promise<string[]> {
    const [rows]: [{ ids: string[] }[], number] = await transaction.query(
      `UPDATE monitor_checks AS released SET files_kept = false
         FROM (SELECT candidate.id, candidate.outcome = 'changed' AS is_change, monitor.keep,
                      row_number() OVER (PARTITION BY candidate.monitor_id, candidate.page, candidate.outcome = 'changed'
                                         ORDER BY candidate.due_at DESC) AS number
                 FROM unnest($1::uuid[], $2::integer[]) AS given (monitor_id, page)
                 JOIN monitors AS monitor ON monitor.id = given.monitor_id
                 JOIN monitor_checks AS candidate
                   ON candidate.monitor_id = given.monitor_id AND candidate.page = given.page
                WHERE candidate.files_kept AND candidate.outcome IN ('same', 'changed', 'ignored', 'failed')) AS ranked
        WHERE released.id = ranked.id
          AND ranked.number > (ranked.keep ->> CASE WHEN ranked.is_change THEN 'changed' ELSE 'unchanged' END)::integer
       RETURNING ARRAY(SELECT unnest(released.capture_ids) EXCEPT
                       SELECT baseline_id FROM monitor_pages AS page WHERE page.monitor_id = released.monitor_id) AS ids`,
      [pages.map(({ monitorId }) => monitorId), pages.map(({ page }) => page)],
    );
    return rows.flatMap(({ ids }) => ids);
  }
}
