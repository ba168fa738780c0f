import { Injectable } from '@nestjs/common';
import type { Account } from './account.entity.js';
import {
  AccountRepository,
  type AccountChange,
  type AccountSettings,
  type NewAccount,
} from './account.repository.js';

/** Accounts as the operator manages them. */
@Injectable()
export class AccountsService {
  constructor(private readonly repository: AccountRepository) {}

  /** Null when the name is taken. */
  create(account: NewAccount): Promise<Account | null> {
    return this.repository.add(account);
  }

  /** What an account may use changes at once; its rate within 5 s, for processes remember it. */
  change(id: string, settings: Partial<AccountSettings>): Promise<AccountChange> {
    return this.repository.change(id, settings);
  }

  findByName(name: string): Promise<Account | null> {
    return this.repository.findByName(name);
  }

  list(): Promise<Account[]> {
    return this.repository.list();
  }
}
