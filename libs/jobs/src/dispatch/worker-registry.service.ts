import { Injectable } from '@nestjs/common';
import { WorkerHeartbeatRepository, type WorkerReport } from './worker-heartbeat.repository.js';
import type { WorkerHeartbeat } from './worker-heartbeat.entity.js';

/** A worker that has not reported for this long counts as gone; it reports with each renewal of its leases. */
const GONE_AFTER_MS = 15_000;

/** Which workers are there and what they can take; what `/v1/health` and `/v1/version` show. */
@Injectable()
export class WorkerRegistryService {
  constructor(private readonly repository: WorkerHeartbeatRepository) {}

  report(worker: WorkerReport): Promise<void> {
    return this.repository.save(worker);
  }

  leave(id: string): Promise<void> {
    return this.repository.remove(id);
  }

  /** The workers that are alive. */
  list(): Promise<WorkerHeartbeat[]> {
    return this.repository.listSeenWithin(GONE_AFTER_MS);
  }

  /** Forgets the workers that are long gone. */
  prune(): Promise<void> {
    return this.repository.removeUnseenFor(100 * GONE_AFTER_MS);
  }
}
