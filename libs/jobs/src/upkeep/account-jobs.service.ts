import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { JobRepository } from '../job/job.repository.js';
import { JobFinalizerService } from '../running/job-finalizer.service.js';
import { sendSignal } from '../signals/signals.js';
import { AccountJobsRepository } from './account-jobs.repository.js';

const AT_ONCE = 500;

/** Ends the jobs of an account that is being deleted. */
@Injectable()
export class AccountJobsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly accounts: AccountJobsRepository,
    private readonly jobs: JobRepository,
    private readonly finalizer: JobFinalizerService,
  ) {}

  /** Cancels the jobs that have not ended, each in a transaction of its own. Returns whether all have ended. */
  async cancelAll(accountId: string, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const ids = await this.accounts.listUnfinished(accountId, AT_ONCE);
      if (ids.length === 0) return true;
      for (const id of ids) await this.cancel(id);
    }
    return false;
  }

  private async cancel(id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const job = await this.jobs.cancel(transaction, id, 'client_request');
      if (!job) return;
      await this.finalizer.finalize(transaction, job);
      await sendSignal(transaction, 'canceled', [id]);
    });
  }
}
