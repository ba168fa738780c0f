import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { pageOfRows, type ListPage } from '@app/kernel';
import type { PageRequest } from '@app/jobs';
import { MonitorCheck } from './monitor-check.entity.js';
import type { CheckOutcome } from './monitor-state.js';

/** A check to insert. */
export type NewCheck = Pick<
  MonitorCheck,
  | 'id'
  | 'monitorId'
  | 'accountId'
  | 'page'
  | 'url'
  | 'dueAt'
  | 'trigger'
  | 'missed'
  | 'jobId'
  | 'outcome'
  | 'reason'
>;

/** Checks that one statement deletes. More would hold their locks for long. */
const PURGED_AT_ONCE = 1_000;

/** The checks of monitors. */
@Injectable()
export class CheckRepository {
  constructor(private readonly source: DataSource) {}

  /** Returns the ids of those that were inserted: the others are of instants that have a check. */
  async add(transaction: Transaction, checks: readonly NewCheck[]): Promise<ReadonlySet<string>> {
    if (checks.length === 0) return new Set();
    const rows: { id: string }[] = await transaction.query(
      `INSERT INTO monitor_checks (id, monitor_id, account_id, page, url, due_at, trigger, missed, job_id, capture_ids, outcome,
                                   reason, finished_at)
       SELECT id, monitor_id, account_id, page, url, due_at, trigger, missed, job_id,
              CASE WHEN job_id IS NULL THEN '{}'::uuid[] ELSE ARRAY[job_id] END, outcome, reason,
              CASE WHEN outcome IS NOT NULL THEN clock_timestamp() END
         FROM json_to_recordset($1) AS new (id uuid, monitor_id uuid, account_id uuid, page integer, url text,
              due_at timestamptz, trigger text, missed integer, job_id uuid, outcome text, reason text)
       ON CONFLICT (monitor_id, due_at, page) DO NOTHING RETURNING id`,
      [JSON.stringify(checks.map(toRow))],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Deletes the monitors of an account with their pages and checks. */
  async deleteMonitorsOf(accountId: string): Promise<void> {
    await this.source.query(`DELETE FROM monitors WHERE account_id = $1`, [accountId]);
  }

  /** Deletes some of the checks that ended more than `olderThanS` ago. Returns their number. */
  async purge(olderThanS: number): Promise<number> {
    const [, deleted]: [unknown, number] = await this.source.query(
      `DELETE FROM monitor_checks WHERE id IN (
         SELECT id FROM monitor_checks WHERE finished_at < now() - $1 * interval '1 s'
          ORDER BY finished_at LIMIT ${PURGED_AT_ONCE})`,
      [olderThanS],
    );
    return deleted;
  }

  /** The latest check of each of these monitors. */
  async listLatest(monitorIds: readonly string[]): Promise<Map<string, MonitorCheck>> {
    const latest = await this.source
      .createQueryBuilder(MonitorCheck, 'monitor_check')
      .where(
        `monitor_check.id IN (SELECT latest.id FROM unnest(:ids::uuid[]) AS monitor (id) CROSS JOIN LATERAL (
           SELECT id FROM monitor_checks WHERE monitor_id = monitor.id ORDER BY due_at DESC, page DESC LIMIT 1) AS latest)`,
        { ids: [...monitorIds] },
      )
      .getMany();
    return new Map(latest.map((check) => [check.monitorId, check]));
  }

  /** The checks of a monitor, latest first. A page costs the same at any depth. */
  async list(
    monitorId: string,
    { outcome }: { readonly outcome?: CheckOutcome | undefined },
    { limit, cursor }: PageRequest,
  ): Promise<ListPage<MonitorCheck>> {
    const query = this.source
      .createQueryBuilder(MonitorCheck, 'monitor_check')
      .where('monitor_check.monitor_id = :monitorId', { monitorId })
      .orderBy('monitor_check.dueAt', 'DESC')
      .addOrderBy('monitor_check.id', 'DESC')
      .limit(limit + 1);
    if (outcome !== undefined) query.andWhere('monitor_check.outcome = :outcome', { outcome });
    if (cursor) {
      query.andWhere(
        '(monitor_check.due_at, monitor_check.id) < (to_timestamp(:cursorMs::float8 / 1000), :cursorId::uuid)',
        { cursorMs: cursor.createdAtMs, cursorId: cursor.id },
      );
    }
    return pageOfRows(await query.getMany(), limit, ({ dueAt }) => dueAt);
  }
}

function toRow(check: NewCheck): Record<string, unknown> {
  return {
    id: check.id,
    monitor_id: check.monitorId,
    account_id: check.accountId,
    page: check.page,
    url: check.url,
    due_at: check.dueAt,
    trigger: check.trigger,
    missed: check.missed,
    job_id: check.jobId,
    outcome: check.outcome,
    reason: check.reason,
  };
}
