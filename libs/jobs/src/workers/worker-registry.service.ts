import { Injectable } from '@nestjs/common';
import {
  WorkerHeartbeatRepository,
  type LiveWorker,
  type WorkerReport,
} from './worker-heartbeat.repository.js';
import type { WorkerHeartbeat } from './worker-heartbeat.entity.js';

/** A worker counts as dead when it has not reported for this long; it reports as often as it renews its leases. */
const DEAD_AFTER_MS = 15_000;

/** The workers and their slots, for the dispatcher, `/v1/health` and `/v1/version`. */
@Injectable()
export class WorkerRegistryService {
  constructor(private readonly repository: WorkerHeartbeatRepository) {}

  report(worker: WorkerReport): Promise<void> {
    return this.repository.save(worker);
  }

  leave(id: string): Promise<void> {
    return this.repository.remove(id);
  }

  /** Lists the workers that are alive. */
  list(): Promise<LiveWorker[]> {
    return this.repository.listSeenWithin(DEAD_AFTER_MS);
  }

  /** Lists the workers that are alive, with what they know. */
  listWithFeatures(): Promise<WorkerHeartbeat[]> {
    return this.repository.listSeenWithinWithFeatures(DEAD_AFTER_MS);
  }

  /** Deletes the workers that have been dead for a long time. */
  prune(): Promise<void> {
    return this.repository.removeUnseenFor(100 * DEAD_AFTER_MS);
  }
}
