import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { AccountDeletionService } from './account-deletion.service.js';
import type { PeriodicTask } from './periodic-task.js';

/** Deletes accounts whose deletion an operator has begun. One worker at a time. */
@Injectable()
export class AccountDeletionTask implements PeriodicTask {
  readonly name = 'accounts';
  readonly periodMs = 10_000;

  constructor(
    private readonly database: DatabaseService,
    private readonly deletion: AccountDeletionService,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    await this.database.tryAdvisoryLock('accounts', () => this.deletion.run(signal));
  }
}
