import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Not, Raw } from 'typeorm';
import type { Transaction } from '@app/database';
import { isId, newId, pageOfRows, type BucketLimit, type Cursor, type ListPage } from '@app/kernel';
import { Account } from './account.entity.js';

/** The settings of an account that the operator may change. */
export type AccountSettings = Pick<
  Account,
  'allowance' | 'allowancePeriod' | 'concurrency' | 'rate' | 'burst' | 'webhookUrl' | LimitName
>;

/** The limits of what an account may have at once; null for none, or for that of the configuration. */
export type LimitName =
  | 'maxCaptures'
  | 'maxBytes'
  | 'maxBatches'
  | 'maxWebhooks'
  | 'maxSessions'
  | 'maxMonitors';
export type AccountLimits = Pick<Account, LimitName>;

/** Settings that are left out get the defaults of the schema. */
export type NewAccount = Pick<Account, 'name' | 'allowance' | 'allowancePeriod' | 'concurrency'> &
  Partial<AccountSettings>;

/** What a new account has when the operator says nothing else. */
export const NEW_ACCOUNT = { allowance: 10_000, allowancePeriod: 'month', concurrency: 10 } as const;

/** An account before and after a change. */
export interface AccountChange {
  readonly before: Account;
  readonly after: Account;
}

@Injectable()
export class AccountRepository {
  constructor(private readonly source: DataSource) {}

  /** Null if the name is taken. */
  async add(transaction: Transaction, account: NewAccount): Promise<Account | null> {
    const id = newId();
    await transaction
      .createQueryBuilder()
      .insert()
      .into(Account)
      .values({ ...account, id })
      .orIgnore()
      .updateEntity(false)
      .execute();
    return transaction.getRepository(Account).findOneBy({ id });
  }

  findByName(name: string): Promise<Account | null> {
    return this.source.getRepository(Account).findOneBy({ name });
  }

  /** Null also for a text that is no id. */
  async findById(id: string): Promise<Account | null> {
    return isId(id) ? this.source.getRepository(Account).findOneBy({ id }) : null;
  }

  findIn(transaction: Transaction, id: string): Promise<Account> {
    return transaction.getRepository(Account).findOneByOrFail({ id });
  }

  /** The account, locked until the transaction ends. */
  async lock(transaction: Transaction, id: string): Promise<Account | null> {
    if (!isId(id)) return null;
    return transaction.getRepository(Account).findOne({ where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /** Changes an account that the transaction has locked. */
  async change(transaction: Transaction, id: string, settings: Partial<AccountSettings>): Promise<Account> {
    if (Object.keys(settings).length > 0) await transaction.getRepository(Account).update({ id }, settings);
    return this.findIn(transaction, id);
  }

  async setPaused(transaction: Transaction, id: string, isPaused: boolean): Promise<void> {
    await transaction.query(
      `UPDATE accounts SET paused_at = CASE WHEN $2 THEN date_trunc('milliseconds', clock_timestamp()) END WHERE id = $1`,
      [id, isPaused],
    );
  }

  /** An account that is being deleted is also paused. */
  async setDeleting(transaction: Transaction, id: string): Promise<void> {
    await transaction.query(
      `UPDATE accounts SET deleting_at = clock_timestamp(), paused_at = coalesce(paused_at, clock_timestamp())
        WHERE id = $1`,
      [id],
    );
  }

  /** Deletes an account, and what it has used. */
  async remove(transaction: Transaction, id: string): Promise<void> {
    for (const table of ['concurrency_slots', 'usage_ledger', 'usage_counters', 'rate_buckets']) {
      await transaction.query(`DELETE FROM ${table} WHERE account_id = $1`, [id]);
    }
    await transaction.query(`DELETE FROM accounts WHERE id = $1`, [id]);
  }

  /** The accounts that are being deleted, the first one first. */
  listDeleting(): Promise<Account[]> {
    return this.source
      .getRepository(Account)
      .find({ where: { deletingAt: Not(IsNull()) }, order: { deletingAt: 'ASC', id: 'ASC' } });
  }

  /** The newest first. */
  async listPage({
    limit,
    cursor,
  }: {
    readonly limit: number;
    readonly cursor: Cursor | undefined;
  }): Promise<ListPage<Account>> {
    const isBefore = (column: string): string =>
      `(${column}, id) < (to_timestamp(:ms::float8 / 1000), :id::uuid)`;
    const accounts = await this.source.getRepository(Account).find({
      where: cursor ? { createdAt: Raw(isBefore, { ms: cursor.createdAtMs, id: cursor.id }) } : {},
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit + 1,
    });
    return pageOfRows(accounts, limit, ({ createdAt }) => createdAt);
  }

  /** The limits of an account, and whether it accepts anything new. */
  async findLimits(
    id: string,
    manager: Transaction = this.source.manager,
  ): Promise<(AccountLimits & { readonly isPaused: boolean }) | null> {
    const account = await manager.getRepository(Account).findOneBy({ id });
    return account && { ...account, isPaused: account.pausedAt !== null };
  }

  findRate(id: string): Promise<BucketLimit | null> {
    return this.source.getRepository(Account).findOne({ select: { rate: true, burst: true }, where: { id } });
  }

  listByIds(ids: readonly string[]): Promise<Account[]> {
    return this.source.getRepository(Account).findBy({ id: In([...ids]) });
  }

  list(): Promise<Account[]> {
    return this.source.getRepository(Account).find({ order: { createdAt: 'ASC' } });
  }
}
