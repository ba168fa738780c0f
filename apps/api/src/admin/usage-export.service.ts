import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { JobStatsRepository } from '@app/jobs';
import { Clock, type Cursor, type ListPage } from '@app/kernel';
import { AccountsService, type Account } from '@app/usage';
import { create } from 'content-disposition';
import { stringify } from 'csv-stringify/sync';
import type { Response } from 'express';
import { ignoringDisconnect } from '../http/client-disconnect.js';
import { pageOf } from '../http/page.query.js';
import { dayOf, dayRangeOf, type DayRange } from '../usage/days.query.js';
import { toUsageDays } from '../usage/days.response.js';
import type { AdminUsageQuery } from './admin.query.js';
import { toAccountUsage, type AccountUsage, type AccountUsageList } from './usage.response.js';

/** The columns of the CSV, in their order. Columns may be added at the end, never renamed. */
const COLUMNS = [
  ...[
    'account_id',
    'account',
    'day',
    'total',
    'used',
    'charged',
    'in_progress',
    'cached',
    'failed',
    'canceled',
  ],
];
const ACCOUNTS_AT_ONCE = 100;

/** What accounts used on each day, as JSON in pages or as one CSV. */
@Injectable()
export class UsageExportService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly stats: JobStatsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `invalid_request` for a range that is empty or too long */
  async list(query: AdminUsageQuery): Promise<AccountUsageList> {
    const range = dayRangeOf(query, this.clock.now());
    const { items, nextCursor } = await this.page(query.account_id, pageOf(query));
    const usages = [];
    for (const account of items) usages.push(await this.usageOf(account, range));
    return { items: usages, next_cursor: nextCursor };
  }

  /** Reads one account after the other, as fast as the caller reads. */
  async sendCsv(query: AdminUsageQuery, response: Response): Promise<void> {
    const range = dayRangeOf(query, this.clock.now());
    response.set({
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': create(`usage-${dayOf(range.from)}.csv`),
    });
    const csv = Readable.from(this.rows(query.account_id, range));
    if (response.req.method === 'HEAD') response.end();
    else await ignoringDisconnect(pipeline(csv, response));
  }

  private async *rows(accountId: string | undefined, range: DayRange): AsyncGenerator<string> {
    yield stringify([], { columns: COLUMNS, header: true, record_delimiter: 'windows' });
    for await (const account of this.readAccounts(accountId)) {
      const { days } = await this.usageOf(account, range);
      const rows = days
        .filter(({ total }) => total > 0)
        .map((day) => ({ account_id: account.id, account: account.name, ...day }));
      // The names of accounts come from people, and a spreadsheet would run `=cmd|…`.
      if (rows.length > 0) {
        yield stringify(rows, { columns: COLUMNS, record_delimiter: 'windows', escape_formulas: true });
      }
    }
  }

  private async *readAccounts(accountId: string | undefined): AsyncGenerator<Account> {
    let cursor: Cursor | undefined;
    do {
      const { items } = await this.page(accountId, { limit: ACCOUNTS_AT_ONCE, cursor });
      yield* items;
      const last = items.length === ACCOUNTS_AT_ONCE ? items.at(-1) : undefined;
      cursor = last && { createdAtMs: last.createdAt.getTime(), id: last.id };
    } while (cursor);
  }

  private async page(
    accountId: string | undefined,
    page: { readonly limit: number; readonly cursor: Cursor | undefined },
  ): Promise<ListPage<Account>> {
    if (accountId === undefined) return this.accounts.listPage(page);
    return { items: await this.accounts.listByIds([accountId]), nextCursor: null };
  }

  private async usageOf(account: Account, range: DayRange): Promise<AccountUsage> {
    return toAccountUsage(account, toUsageDays(await this.stats.readDays(account.id, range), range));
  }
}
