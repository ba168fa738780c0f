import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { BatchCountsRepository, type Difference } from './batch-counts.repository.js';

/** Batches of one comparison; up to 100,000 rows. */
const BATCHES_AT_ONCE = 10;

/** Sorts before every id. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** Compares the counts of batches with their rows, a few batches at a time, and corrects them. None should ever differ. */
@Injectable()
export class BatchAuditService {
  private after = NIL;

  constructor(
    private readonly database: DatabaseService,
    private readonly counts: BatchCountsRepository,
  ) {}

  /** Audits the next batches in the order of their ids, over and over. Returns the differences that it corrected. */
  async auditNext(): Promise<Difference[]> {
    const ids = await this.counts.listComparable(this.after, BATCHES_AT_ONCE);
    this.after = ids.length === BATCHES_AT_ONCE ? (ids.at(-1) ?? NIL) : NIL;
    const differences = ids.length > 0 ? await this.counts.listDifferences(ids) : [];
    for (const { batchId } of differences) {
      await this.database.transaction((transaction) => this.counts.correct(transaction, batchId));
    }
    return differences;
  }
}
