import { Injectable } from '@nestjs/common';
import type { Account } from './account.entity.js';
import {
  AccountRepository,
  type AccountChange,
  type AccountSettings,
  type NewAccount,
} from './account.repository.js';

/** Manages accounts for the operator. */
@Injectable()
export class AccountsService {
  constructor(private readonly repository: AccountRepository) {}

  /** Null if the name is taken. */
  create(account: NewAccount): Promise<Account | null> {
    return this.repository.add(account);
  }

  /** The new limits apply at once; the rate within 5 s, because processes cache it. */
  change(id: string, settings: Partial<AccountSettings>): Promise<AccountChange> {
    return this.repository.change(id, settings);
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
}
