import { Injectable } from '@nestjs/common';
import type { Actor } from '@app/audit';
import { ApiKeysService } from '@app/auth';
import { DatabaseService, type Transaction } from '@app/database';
import { subjectIsGone } from '@app/jobs';
import { AppError, invalidRequest } from '@app/kernel';
import { AccountsService, NEW_ACCOUNT, UsageService, type Account, type AccountSettings } from '@app/usage';
import { WebhookTargetService } from '../webhooks/webhook-target.service.js';
import type { ListQuery } from '../http/page.query.js';
import { pageOf } from '../http/page.query.js';
import { readAccountChange, readNewAccount } from './account.fields.js';
import { RepeatableChangesService, type ChangeRequest } from './repeatable-changes.service.js';
import { toAccountRecord, type AccountList, type AccountRecord } from './account.response.js';

/** An account after a change, which an earlier request with the same Idempotency-Key may have made. */
interface ChangedAccount {
  readonly record: AccountRecord;
  readonly replayed: boolean;
}

/** Manages accounts for operators who call the API. */
@Injectable()
export class AccountAdministrationService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly usage: UsageService,
    private readonly database: DatabaseService,
    private readonly webhooks: WebhookTargetService,
    private readonly changes: RepeatableChangesService,
  ) {}

  async list(query: ListQuery): Promise<AccountList> {
    const { items, nextCursor } = await this.accounts.listPage(pageOf(query));
    const records = [];
    for (const account of items) records.push(await this.describe(account));
    return { items: records, next_cursor: nextCursor };
  }

  /** @throws AppError `not_found` */
  async show(id: string): Promise<AccountRecord> {
    return this.describe(await this.find(id));
  }

  /** @throws AppError `invalid_request`, `target_forbidden` for the address of the webhook */
  async create(body: unknown, request: ChangeRequest): Promise<ChangedAccount> {
    const { name, settings } = readNewAccount(body);
    const account = { name, ...NEW_ACCOUNT, ...this.admitted(settings) };
    return this.changed(request, async (transaction) => {
      const added = await this.accounts.createIn(transaction, account, request.by);
      if (!added) throw nameIsTaken();
      return added;
    });
  }

  /** @throws AppError `invalid_request`, `not_found`, `account_state`, `target_forbidden` */
  async change(id: string, body: unknown, by: Actor): Promise<AccountRecord> {
    const { after } = await this.accounts.change(id, this.admitted(readAccountChange(body)), by);
    return this.describe(after);
  }

  /** @throws AppError `not_found`, `account_state` */
  setPaused(id: string, isPaused: boolean, request: ChangeRequest): Promise<ChangedAccount> {
    return this.changed(request, (transaction) =>
      this.accounts.setPaused(transaction, { id, isPaused }, request.by),
    );
  }

  /**
   * Revokes the keys of an account, and has the upkeep delete all that it has. A repeated request changes nothing.
   *
   * @throws AppError `not_found`, and `account_state` for the account of the key, or that of the last key with `admin`
   */
  async remove(id: string, by: Actor): Promise<AccountRecord> {
    if (id === by.account_id) {
      throw new AppError('account_state', { detail: 'A key cannot delete the account that it belongs to.' });
    }
    await this.database.transaction(async (transaction) => {
      const isFirst = await this.accounts.beginDeletion(transaction, id, by);
      if (isFirst) await this.keys.revokeAllOf(transaction, id, by);
    });
    return this.show(id);
  }

  /** A repeated request is answered with the account as it is now. */
  private async changed(
    request: ChangeRequest,
    change: (transaction: Transaction) => Promise<Account>,
  ): Promise<ChangedAccount> {
    const { id, made } = await this.changes.make(request, async (transaction) => {
      const account = await change(transaction);
      return { id: account.id, accountId: account.id, account };
    });
    const account = made?.account ?? (await this.accounts.findById(id));
    if (!account) throw subjectIsGone();
    return { record: await this.describe(account), replayed: made === null };
  }

  private async find(id: string): Promise<Account> {
    const account = await this.accounts.findById(id);
    if (!account) throw new AppError('not_found', { detail: 'There is no account with this id.' });
    return account;
  }

  private async describe(account: Account): Promise<AccountRecord> {
    return toAccountRecord(account, await this.usage.report(account.id));
  }

  private admitted(settings: Partial<AccountSettings>): Partial<AccountSettings> {
    const { webhookUrl } = settings;
    if (typeof webhookUrl !== 'string') return settings;
    return { ...settings, webhookUrl: this.webhooks.admit(webhookUrl, 'webhook_url') };
  }
}

function nameIsTaken(): AppError {
  return invalidRequest([{ pointer: '/name', code: 'not_unique', detail: 'is the name of another account' }]);
}
