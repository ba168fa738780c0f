import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
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

  /** Returns whether an operator wants the worker to drain. */
  report(worker: WorkerReport): Promise<boolean> {
    return this.repository.save(worker);
  }

  leave(id: string): Promise<void> {
    return this.repository.remove(id);
  }

  /** Lists the workers that are alive. */
  list(): Promise<LiveWorker[]> {
    return this.repository.listSeenWithin(DEAD_AFTER_MS);
  }

  /** Lists the workers that are alive and take captures. */
  async listTaking(): Promise<LiveWorker[]> {
    return (await this.list()).filter(takesCaptures);
  }

  /** Has a worker drain, or take captures again, within some seconds. Returns whether this is new. */
  setDrain(transaction: Transaction, id: string, drain: boolean): Promise<boolean> {
    return this.repository.setDrain(transaction, id, drain);
  }

  /** Lists the workers that are alive and take captures, with what they know. */
  async listWithFeatures(): Promise<WorkerHeartbeat[]> {
    return (await this.repository.listSeenWithinWithFeatures(DEAD_AFTER_MS)).filter(takesCaptures);
  }

  /** Deletes the workers that have been dead for a long time. */
  prune(): Promise<void> {
    return this.repository.removeUnseenFor(100 * DEAD_AFTER_MS);
  }
}

/** Whether a worker takes captures. One that shall drain counts as draining before it has read so. */
export function takesCaptures({ drain, state }: Pick<LiveWorker, 'drain' | 'state'>): boolean {
  return !drain && state === 'active';
}
