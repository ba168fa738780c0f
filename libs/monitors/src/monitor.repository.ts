import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Transaction } from '@app/database';
import type { PageRequest } from '@app/jobs';
import { pageOfRows, type ListPage } from '@app/kernel';
import { Monitor } from './monitor.entity.js';
import { MonitorPage } from './monitor-page.entity.js';
import type { MonitorState } from './monitor-state.js';

export type NewMonitor = Omit<Monitor, 'createdAt' | 'updatedAt' | 'state' | 'pauseReason'>;
export type NewPage = Omit<MonitorPage, 'failures' | 'baselineId'>;

/** What a change of a monitor may set. */
export type MonitorChange = Partial<Omit<Monitor, 'id' | 'accountId' | 'createdAt' | 'updatedAt'>>;

/** The monitors of accounts and their pages. */
@Injectable()
export class MonitorRepository {
  constructor(private readonly source: DataSource) {}

  async add(transaction: Transaction, monitor: NewMonitor, pages: readonly NewPage[]): Promise<void> {
    await transaction.getRepository(Monitor).insert({ ...monitor, state: 'active', pauseReason: null });
    await this.addPages(transaction, pages);
  }

  async addPages(transaction: Transaction, pages: readonly NewPage[]): Promise<void> {
    await transaction.query(
      `INSERT INTO monitor_pages (monitor_id, page, id, account_id, options, default_names, secrets)
       SELECT monitor_id, page, id, account_id, options, default_names, decode(secrets, 'base64')
         FROM json_to_recordset($1) AS new (monitor_id uuid, page integer, id uuid, account_id uuid, options json,
              default_names text[], secrets text)`,
      [JSON.stringify(pages.map(toPageRow))],
    );
  }

  /** Deletes the pages of a locked monitor, and ends its open checks: their captures are of pages that it no longer watches. */
  async removePages(transaction: Transaction, monitorId: string): Promise<void> {
    await transaction.query(
      `UPDATE monitor_checks SET outcome = 'skipped', reason = 'replaced', finished_at = clock_timestamp()
        WHERE monitor_id = $1 AND outcome IS NULL`,
      [monitorId],
    );
    await transaction.getRepository(MonitorPage).delete({ monitorId });
  }

  count(transaction: Transaction, accountId: string): Promise<number> {
    return transaction.getRepository(Monitor).countBy({ accountId });
  }

  find(accountId: string, id: string): Promise<Monitor | null> {
    return this.source.getRepository(Monitor).findOneBy({ id, accountId });
  }

  /** The monitor, which no other transaction changes until this one ends; null for that of another account. */
  lock(transaction: Transaction, accountId: string, id: string): Promise<Monitor | null> {
    return transaction
      .getRepository(Monitor)
      .findOne({ where: { id, accountId }, lock: { mode: 'pessimistic_write' } });
  }

  /** The time of the database, with which instants are compared. */
  async now(transaction: Transaction): Promise<Date> {
    const [row] = await transaction.query<{ now: Date }[]>(
      `SELECT date_trunc('milliseconds', clock_timestamp()) AS now`,
    );
    if (!row) throw new Error('The database returned no time.');
    return row.now;
  }

  /** @param id of a locked monitor */
  async change(transaction: Transaction, id: string, change: MonitorChange): Promise<void> {
    await transaction
      .createQueryBuilder()
      .update(Monitor)
      .set({ ...change, updatedAt: () => 'clock_timestamp()' })
      .where({ id })
      .execute();
  }

  /** Deletes the monitor with its pages and checks; false when the account has no such monitor. */
  async remove(transaction: Transaction, accountId: string, id: string): Promise<boolean> {
    const { affected } = await transaction.getRepository(Monitor).delete({ id, accountId });
    return (affected ?? 0) > 0;
  }

  /** In the order of their numbers, by the id of their monitor. */
  async listPages(monitorIds: readonly string[]): Promise<Map<string, MonitorPage[]>> {
    const all = await this.source
      .getRepository(MonitorPage)
      .find({ where: { monitorId: In([...monitorIds]) }, order: { page: 'ASC' } });
    const pages = new Map<string, MonitorPage[]>();
    for (const page of all) pages.set(page.monitorId, [...(pages.get(page.monitorId) ?? []), page]);
    return pages;
  }

  /** The monitors of an account, newest first. A page costs the same at any depth. */
  async list(
    accountId: string,
    { state }: { readonly state?: MonitorState | undefined },
    { limit, cursor }: PageRequest,
  ): Promise<ListPage<Monitor>> {
    const query = this.source
      .createQueryBuilder(Monitor, 'monitor')
      .where('monitor.account_id = :accountId', { accountId })
      .orderBy('monitor.createdAt', 'DESC')
      .addOrderBy('monitor.id', 'DESC')
      .limit(limit + 1);
    if (state !== undefined) query.andWhere('monitor.state = :state', { state });
    if (cursor) {
      query.andWhere(
        '(monitor.created_at, monitor.id) < (to_timestamp(:cursorMs::float8 / 1000), :cursorId::uuid)',
        { cursorMs: cursor.createdAtMs, cursorId: cursor.id },
      );
    }
    return pageOfRows(await query.getMany(), limit, ({ createdAt }) => createdAt);
  }
}

function toPageRow(page: NewPage): Record<string, unknown> {
  return {
    monitor_id: page.monitorId,
    page: page.page,
    id: page.id,
    account_id: page.accountId,
    options: page.options,
    default_names: page.defaultNames,
    secrets: page.secrets?.toString('base64'),
  };
}
