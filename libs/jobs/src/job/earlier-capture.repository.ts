import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Job } from './job.entity.js';

/** Finds the captures that others are compared with. */
@Injectable()
export class EarlierCaptureRepository {
  constructor(private readonly source: DataSource) {}

  /** The account's latest succeeded capture with the same options and target whose file still exists, besides itself. */
  findPrevious({
    id,
    accountId,
    captureKey,
  }: Pick<Job, 'id' | 'accountId' | 'captureKey'>): Promise<Job | null> {
    return this.source
      .getRepository(Job)
      .createQueryBuilder('job')
      .where('job.account_id = :accountId AND job.capture_key = :captureKey AND job.id <> :id')
      .andWhere(
        `job.status = 'succeeded' AND job.result_key IS NOT NULL AND job.expires_at > clock_timestamp()`,
      )
      .orderBy('job.finished_at', 'DESC')
      .limit(1)
      .setParameters({ id, accountId, captureKey })
      .getOne();
  }

  /** Those captures of the account that exist, whatever their state. */
  listOfAccount(accountId: string, ids: readonly string[]): Promise<Job[]> {
    return this.source.getRepository(Job).findBy({ id: In([...ids]), accountId, recordDeleted: false });
  }
}
