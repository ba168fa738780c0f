import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import type { Transaction } from '@app/database';
import { AppError } from '@app/kernel';
import { AccountRepository, type AccountLimits } from './account.repository.js';

/** The limits of an account. The operator limits sessions and monitors of all accounts, unless an account has a limit of its own. */
interface LimitsInForce extends AccountLimits {
  readonly maxSessions: number;
  readonly maxMonitors: number;
}

/** What accounts may have at once. The library that creates something counts what there is. */
@Injectable()
export class AccountLimitsService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly env: Env,
  ) {}

  /**
   * The limits of an account for something new.
   *
   * @throws AppError `account_paused`, `not_found`
   */
  async forNewWork(accountId: string, transaction?: Transaction): Promise<LimitsInForce> {
    const found = await this.accounts.findLimits(accountId, transaction);
    if (!found) throw new AppError('not_found');
    if (found.isPaused) throw new AppError('account_paused');
    const { maxSessions, maxMonitors } = found;
    return {
      ...found,
      maxSessions: maxSessions ?? this.env.SESSIONS_PER_ACCOUNT,
      maxMonitors: maxMonitors ?? this.env.MONITORS_PER_ACCOUNT,
    };
  }
}

/** @throws AppError `limit_reached` when an account has as many as it may have */
export function assertBelow(limit: number | null, count: number, what: string): void {
  if (limit === null || count < limit) return;
  throw new AppError('limit_reached', { detail: `The account may have ${limit} ${what}, and has ${count}.` });
}
