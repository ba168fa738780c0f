import { Injectable } from '@nestjs/common';
import { AuditRepository, COMMAND, SERVICE, type Actor, type AuditAction } from '@app/audit';
import { DatabaseService, type Transaction } from '@app/database';
import { AppError, type Cursor, type ListPage } from '@app/kernel';
import { factsOf } from './account-facts.js';
import type { Account } from './account.entity.js';
import {
  AccountRepository,
  type AccountChange,
  type AccountSettings,
  type NewAccount,
} from './account.repository.js';

/** Manages accounts, and records each change in its own transaction. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountRepository,
    private readonly database: DatabaseService,
    private readonly audit: AuditRepository,
  ) {}

  /** Null if the name is taken. */
  create(account: NewAccount): Promise<Account | null> {
    return this.database.transaction((transaction) => this.createIn(transaction, account, COMMAND));
  }

  /** Like `create`, in a transaction of the caller. */
  async createIn(transaction: Transaction, account: NewAccount, by: Actor): Promise<Account | null> {
    const added = await this.repository.add(transaction, account);
    if (added) await this.record(transaction, by, { action: 'account.created', after: added });
    return added;
  }

  /**
   * The new limits apply at once; the rate within 5 s, because processes cache it.
   *
   * @throws AppError `not_found`, `account_state` while the account is being deleted
   */
  change(id: string, settings: Partial<AccountSettings>, by: Actor = COMMAND): Promise<AccountChange> {
    return this.database.transaction(async (transaction) => {
      const before = await this.lockUndeleted(transaction, id);
      const after = await this.repository.change(transaction, id, settings);
      if (Object.keys(settings).length > 0) {
        await this.record(transaction, by, { action: 'account.changed', before, after });
      }
      return { before, after };
    });
  }

  /**
   * Refuses new work of the account, or accepts it again. Accepted work ends. A repeated request changes nothing.
   *
   * @throws AppError `not_found`, `account_state` while the account is being deleted
   */
  async setPaused(
    transaction: Transaction,
    { id, isPaused }: { readonly id: string; readonly isPaused: boolean },
    by: Actor,
  ): Promise<Account> {
    const before = await this.lockUndeleted(transaction, id);
    if ((before.pausedAt !== null) === isPaused) return before;
    await this.repository.setPaused(transaction, id, isPaused);
    const after = await this.repository.findIn(transaction, id);
    const action = isPaused ? 'account.paused' : 'account.resumed';
    await this.record(transaction, by, { action, before, after });
    return after;
  }

  /**
   * Begins to delete an account, in the transaction that revokes its keys: nothing new is accepted, and the upkeep deletes all
   * that it has. Returns whether it had not begun before.
   *
   * @throws AppError `not_found`
   */
  async beginDeletion(transaction: Transaction, id: string, by: Actor): Promise<boolean> {
    const before = await this.lock(transaction, id);
    if (before.deletingAt !== null) return false;
    await this.repository.setDeleting(transaction, id);
    await this.record(transaction, by, { action: 'account.deletion_started', before });
    return true;
  }

  /** Deletes the row of an account, and what usage counts for it, when nothing else names it any more. */
  async finishDeletion(transaction: Transaction, id: string): Promise<void> {
    const before = await this.lock(transaction, id);
    await this.repository.remove(transaction, id);
    await this.record(transaction, SERVICE, { action: 'account.deleted', before });
  }

  /**
   * Keeps an account from being deleted until the transaction ends, which adds something to it.
   *
   * @throws AppError `not_found`, `account_state` while it is being deleted
   */
  async lockUndeleted(transaction: Transaction, id: string): Promise<Account> {
    const account = await this.lock(transaction, id);
    if (account.deletingAt === null) return account;
    throw new AppError('account_state', { detail: 'The account is being deleted.' });
  }

  listDeleting(): Promise<Account[]> {
    return this.repository.listDeleting();
  }

  findById(id: string): Promise<Account | null> {
    return this.repository.findById(id);
  }

  findByName(name: string): Promise<Account | null> {
    return this.repository.findByName(name);
  }

  listByIds(ids: readonly string[]): Promise<Account[]> {
    return this.repository.listByIds(ids);
  }

  list(): Promise<Account[]> {
    return this.repository.list();
  }

  /** The newest first. */
  listPage(page: {
    readonly limit: number;
    readonly cursor: Cursor | undefined;
  }): Promise<ListPage<Account>> {
    return this.repository.listPage(page);
  }

  private async lock(transaction: Transaction, id: string): Promise<Account> {
    const account = await this.repository.lock(transaction, id);
    if (!account) throw new AppError('not_found', { detail: 'There is no account with this id.' });
    return account;
  }

  private record(
    transaction: Transaction,
    by: Actor,
    { action, before, after }: RecordedChange,
  ): Promise<void> {
    const id = (after ?? before)?.id ?? '';
    return this.audit.record(transaction, by, {
      action,
      accountId: id,
      subjectId: id,
      ...(before && { before: factsOf(before) }),
      ...(after && { after: factsOf(after) }),
    });
  }
}

interface RecordedChange {
  readonly action: AuditAction;
  readonly before?: Account;
  readonly after?: Account;
}
