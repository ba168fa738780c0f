import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import type { Transaction } from '@app/database';
import { AccountLimitsService } from '@app/usage';

/** How many sessions an account may have: what its operator has set for it, or for all accounts. */
@Injectable()
export class SessionLimitsService {
  constructor(
    private readonly accounts: AccountLimitsService,
    private readonly env: Env,
  ) {}

  /** @throws AppError `account_paused` */
  async read(transaction: Transaction, accountId: string): Promise<number> {
    const { maxSessions } = await this.accounts.forNewWork(accountId, transaction);
    return maxSessions ?? this.env.SESSIONS_PER_ACCOUNT;
  }
}
