import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '@app/database';
import { AppError } from '@app/kernel';
import { AccountRepository, type AccountLimits } from './account.repository.js';

/** What accounts may have at once. The library that creates something counts what there is. */
@Injectable()
export class AccountLimitsService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly source: DataSource,
  ) {}

  /**
   * The limits of an account for something new.
   *
   * @throws AppError `account_paused`, `not_found`
   */
  async forNewWork(accountId: string, transaction?: Transaction): Promise<AccountLimits> {
    const found = await this.accounts.findLimits(transaction ?? this.source.manager, accountId);
    if (!found) throw new AppError('not_found');
    if (found.isPaused) throw new AppError('account_paused');
    return found;
  }
}

/** @throws AppError `limit_reached` when an account has as many as it may have */
export function assertBelow(limit: number | null, count: number, what: string): void {
  if (limit === null || count < limit) return;
  throw new AppError('limit_reached', { detail: `The account may have ${limit} ${what}, and has ${count}.` });
}
