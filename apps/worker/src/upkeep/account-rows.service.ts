import { Injectable } from '@nestjs/common';
import { BatchExpiryRepository } from '@app/bulk';
import type { Transaction } from '@app/database';
import { AccountJobsRepository } from '@app/jobs';
import { SessionRepository } from '@app/sessions';
import { DeliveryRepository } from '@app/webhooks';

/** What an account has besides captures, monitors and crawls. Its keys are deleted with it by the database. */
@Injectable()
export class AccountRowsService {
  constructor(
    private readonly jobs: AccountJobsRepository,
    private readonly batches: BatchExpiryRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly sessions: SessionRepository,
  ) {}

  async deleteAllOf(transaction: Transaction, accountId: string): Promise<void> {
    await this.jobs.removeRest(transaction, accountId);
    await this.batches.deleteAllOf(transaction, accountId);
    await this.deliveries.deleteAllOf(transaction, accountId);
    await this.sessions.deleteAllOf(transaction, accountId);
  }
}
