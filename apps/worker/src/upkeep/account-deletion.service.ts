import { Injectable } from '@nestjs/common';
import { CrawlRepository } from '@app/crawls';
import { DatabaseService } from '@app/database';
import { CheckRepository } from '@app/monitors';
import { AccountsService } from '@app/usage';
import { AccountCapturesService } from './account-captures.service.js';
import { AccountRowsService } from './account-rows.service.js';

/**
 * Deletes accounts with all that they have, in this order:
 *
 *   monitors    and crawls, so that none makes another capture
 *   captures    unfinished ones are canceled, then files and records are deleted page by page, then what they shared
 *   the rest    batches, deliveries, sessions, keys, usage and the account, in one transaction
 *
 * Each step finds what is left by the account, so that a run after a kill goes on. A row that was added meanwhile refers to the
 * account, whose deletion then fails; the next run deletes it as well.
 */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly database: DatabaseService,
    private readonly accounts: AccountsService,
    private readonly captures: AccountCapturesService,
    private readonly monitors: CheckRepository,
    private readonly crawls: CrawlRepository,
    private readonly others: AccountRowsService,
  ) {}

  /** Deletes as much as can be now; what workers may still be storing is left to a later run. */
  async run(signal: AbortSignal): Promise<void> {
    for (const { id } of await this.accounts.listDeleting()) {
      if (signal.aborted) return;
      await this.delete(id, signal);
    }
  }

  private async delete(accountId: string, signal: AbortSignal): Promise<void> {
    await this.monitors.deleteMonitorsOf(accountId);
    await this.crawls.deleteAllOf(accountId);
    if (!(await this.captures.deleteAllOf(accountId, signal))) return;
    await this.database.transaction(async (transaction) => {
      await this.others.deleteAllOf(transaction, accountId);
      await this.accounts.finishDeletion(transaction, accountId);
    });
  }
}
