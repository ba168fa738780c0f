import { Injectable } from '@nestjs/common';
import { WorkerRepository, type WorkerReport } from './worker.repository.js';
import type { WorkerRow } from './worker.entity.js';

/** A worker that has not reported for this long counts as gone; it reports with each renewal of its leases. */
const GONE_AFTER_MS = 15_000;

/** Which workers are there and what they can take; what `/v1/health` and `/v1/version` show. */
@Injectable()
export class WorkerRegistry {
  constructor(private readonly repository: WorkerRepository) {}

  report(worker: WorkerReport): Promise<void> {
    return this.repository.save(worker);
  }

  leave(id: string): Promise<void> {
    return this.repository.remove(id);
  }

  /** The workers that are alive. */
  list(): Promise<WorkerRow[]> {
    return this.repository.listSeenWithin(GONE_AFTER_MS);
  }

  /** Forgets the workers that are long gone. */
  prune(): Promise<void> {
    return this.repository.removeUnseenFor(100 * GONE_AFTER_MS);
  }
}
