import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '@app/auth';
import { BatchExpiryRepository } from '@app/bulk';
import type { Transaction } from '@app/database';
import { AccountJobsRepository } from '@app/jobs';
import { SessionRepository } from '@app/sessions';
import { DeliveryRepository } from '@app/webhooks';

/** What an account has besides captures and monitors. */
@Injectable()
export class AccountRowsService {
  constructor(
    private readonly jobs: AccountJobsRepository,
    private readonly batches: BatchExpiryRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly sessions: SessionRepository,
    private readonly keys: ApiKeysService,
  ) {}

  async deleteAllOf(transaction: Transaction, accountId: string): Promise<void> {
    await this.jobs.removeRest(transaction, accountId);
    await this.batches.deleteAllOf(transaction, accountId);
    await this.deliveries.deleteAllOf(transaction, accountId);
    await this.sessions.deleteAllOf(transaction, accountId);
    await this.keys.deleteAllOf(transaction, accountId);
  }
}
