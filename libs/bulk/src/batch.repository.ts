import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Batch } from './batch.entity.js';

/** The rows of batches. Their counts are not written here, but by the trigger of the jobs. */
@Injectable()
export class BatchRepository {
  constructor(private readonly source: DataSource) {}

  findOfAccount(accountId: string, id: string): Promise<Batch | null> {
    return this.source.getRepository(Batch).findOneBy({ id, accountId });
  }
}
