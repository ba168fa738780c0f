import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { BatchCountsRepository, type Difference } from './batch-counts.repository.js';

/** Batches that one round compares; of the largest ones these are 100,000 rows. */
const AT_ONCE = 10;

/** Before every id. */
const FIRST = '00000000-0000-0000-0000-000000000000';

/** Compares batches with their rows, some in each round and all in turn, and mends what differs. Nothing ever should. */
@Injectable()
export class BatchAuditService {
  private after = FIRST;

  constructor(
    private readonly database: DatabaseService,
    private readonly counts: BatchCountsRepository,
  ) {}

  /** What the next batches were off by; it is corrected. */
  async auditNext(): Promise<Difference[]> {
    const ids = await this.counts.listComparable(this.after, AT_ONCE);
    this.after = ids.length === AT_ONCE ? (ids.at(-1) ?? FIRST) : FIRST;
    const differences = ids.length > 0 ? await this.counts.listDifferences(ids) : [];
    for (const { batchId } of differences) {
      await this.database.transaction((transaction) => this.counts.correct(transaction, batchId));
    }
    return differences;
  }
}
