import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import type { Transaction } from '@app/database';
import { Job } from './job.entity.js';

/** Reads jobs that the same transaction has ended, many in one statement. */
@Injectable()
export class EndedJobRepository {
  list(transaction: Transaction, ids: readonly string[]): Promise<Job[]> {
    return transaction.getRepository(Job).findBy({ id: In([...ids]) });
  }

  /** Only those whose callers asked for a webhook. */
  listWithWebhook(transaction: Transaction, ids: readonly string[]): Promise<Job[]> {
    return transaction.getRepository(Job).findBy({ id: In([...ids]), webhookUrl: Not(IsNull()) });
  }
}
