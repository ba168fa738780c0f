import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { WorkerHeartbeat } from './worker-heartbeat.entity.js';

export type WorkerReport = Omit<WorkerHeartbeat, 'seenAt'>;

/** A worker that is alive. */
export type LiveWorker = Omit<WorkerHeartbeat, 'features'>;

const AGE = `clock_timestamp() - :ageMs * interval '1 ms'`;

@Injectable()
export class WorkerHeartbeatRepository {
  constructor(private readonly source: DataSource) {}

  async save(worker: WorkerReport): Promise<void> {
    await this.source
      .createQueryBuilder()
      .insert()
      .into(WorkerHeartbeat)
      .values({ ...worker, seenAt: () => 'clock_timestamp()' })
      .orUpdate(
        ['slots', 'busy', 'healthy', 'browser', 'sandbox', 'filter_lists', 'features', 'seen_at'],
        ['id'],
      )
      .updateEntity(false)
      .execute();
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
