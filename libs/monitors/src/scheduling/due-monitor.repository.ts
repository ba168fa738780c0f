import { Injectable } from '@nestjs/common';
import { DataSource, In, Raw } from 'typeorm';
import type { Transaction } from '@app/database';
import { Monitor } from '../monitor.entity.js';
import { MonitorPage } from '../monitor-page.entity.js';

/** What is known of due monitors, by the clock of the database. */
export interface DueMonitors {
  readonly now: Date;
  readonly monitors: readonly Monitor[];
  /** The ids of those whose last check is still open. */
  readonly busy: ReadonlySet<string>;
  /** In the order of their numbers, by the id of their monitor. */
  readonly pages: ReadonlyMap<string, readonly MonitorPage[]>;
}

/** The instants that a monitor goes on to. */
export interface NextInstant {
  readonly id: string;
  readonly dueAt: Date | null;
  readonly runAt: Date | null;
}

/** Finds the monitors whose instant has come, for whichever process asks first. */
@Injectable()
export class DueMonitorRepository {
  constructor(private readonly source: DataSource) {}

  /** How long the first one has been due, negative until it is; null when none will be. One look at an index. */
  async dueForMs(): Promise<number | null> {
    const [row] = await this.source.query<{ ms: number | null }[]>(
      `SELECT extract(epoch FROM now() - min(next_run_at))::float8 * 1000 AS ms FROM monitors
        WHERE state = 'active' AND next_run_at IS NOT NULL`,
    );
    return row?.ms ?? null;
  }

  /** Locks the first ones that are due, except for those that another process has locked. */
  async lock(transaction: Transaction, limit: number): Promise<Monitor[]> {
    return transaction.getRepository(Monitor).find({
      where: { state: 'active', nextRunAt: Raw((column) => `${column} <= now()`) },
      order: { nextRunAt: 'ASC' },
      take: limit,
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  /** @param monitors that the transaction has locked */
  async describe(transaction: Transaction, monitors: readonly Monitor[]): Promise<DueMonitors> {
    const ids = monitors.map(({ id }) => id);
    const [state] = await transaction.query<{ now: Date; busy: string[] }[]>(
      `SELECT date_trunc('milliseconds', clock_timestamp()) AS now, ARRAY(
         SELECT DISTINCT monitor_id FROM monitor_checks WHERE monitor_id = ANY($1) AND outcome IS NULL) AS busy`,
      [ids],
    );
    if (!state) throw new Error('The database returned no time.');
    const all = await transaction
      .getRepository(MonitorPage)
      .find({ where: { monitorId: In(ids) }, order: { page: 'ASC' } });
    const pages = new Map<string, MonitorPage[]>(ids.map((id) => [id, []]));
    for (const page of all) pages.get(page.monitorId)?.push(page);
    return { now: state.now, monitors, busy: new Set(state.busy), pages };
  }

  /** Moves monitors on. A monitor without a further instant is never due again. */
  async moveOn(transaction: Transaction, instants: readonly NextInstant[]): Promise<void> {
    await transaction.query(
      `UPDATE monitors SET next_due_at = next.due_at, next_run_at = next.run_at
         FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS next (id, due_at, run_at)
        WHERE monitors.id = next.id`,
      [instants.map(({ id }) => id), instants.map(({ dueAt }) => dueAt), instants.map(({ runAt }) => runAt)],
    );
  }
}
