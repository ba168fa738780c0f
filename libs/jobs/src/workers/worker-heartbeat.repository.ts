import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { WorkerHeartbeat } from './worker-heartbeat.entity.js';

/** Fields that a worker of an earlier version does not report. */
type LaterFields = 'drain' | 'state' | 'version' | 'outages';

export type WorkerReport = Omit<WorkerHeartbeat, 'seenAt' | LaterFields> &
  Partial<Pick<WorkerHeartbeat, LaterFields>>;

/** A worker that is alive. */
export type LiveWorker = Omit<WorkerHeartbeat, 'features'>;

/** What a worker reports again and again; whether it shall drain is the operator's. */
const REPORTED = [
  ...['slots', 'busy', 'healthy', 'browser', 'sandbox', 'filter_lists', 'features', 'seen_at'],
  ...['state', 'version', 'outages'],
];

const AGE = `clock_timestamp() - :ageMs * interval '1 ms'`;

@Injectable()
export class WorkerHeartbeatRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Returns whether an operator wants the worker to drain. A row that was removed in the meantime has what the worker knows of
   * that.
   */
  async save(worker: WorkerReport): Promise<boolean> {
    const { raw } = (await this.source
      .createQueryBuilder()
      .insert()
      .into(WorkerHeartbeat)
      .values({ ...worker, seenAt: () => 'clock_timestamp()' })
      .orUpdate(REPORTED, ['id'])
      .updateEntity(false)
      .returning(['drain'])
      .execute()) as { raw: { drain: boolean }[] };
    return raw[0]?.drain ?? false;
  }

  /** Returns whether this has changed something. */
  async setDrain(transaction: Transaction, id: string, drain: boolean): Promise<boolean> {
    const { affected } = await transaction
      .getRepository(WorkerHeartbeat)
      .update({ id, drain: !drain }, { drain });
    return affected === 1;
  }

  async remove(id: string): Promise<void> {
    await this.source.getRepository(WorkerHeartbeat).delete({ id });
  }

  listSeenWithin(ageMs: number): Promise<LiveWorker[]> {
    return this.seenWithin(ageMs).getMany();
  }

  /** As `listSeenWithin`, with what the workers know. */
  listSeenWithinWithFeatures(ageMs: number): Promise<WorkerHeartbeat[]> {
    return this.seenWithin(ageMs).addSelect('worker.features').getMany();
  }

  private seenWithin(ageMs: number): SelectQueryBuilder<WorkerHeartbeat> {
    return this.source
      .createQueryBuilder(WorkerHeartbeat, 'worker')
      .where(`worker.seen_at >= ${AGE}`, { ageMs })
      .orderBy('worker.id');
  }

  async removeUnseenFor(ageMs: number): Promise<void> {
    await this.source
      .createQueryBuilder()
      .delete()
      .from(WorkerHeartbeat)
      .where(`seen_at < ${AGE}`, { ageMs })
      .execute();
  }
}
