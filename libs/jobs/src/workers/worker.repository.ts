import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WorkerRow } from './worker.entity.js';

export type WorkerReport = Omit<WorkerRow, 'seenAt'>;

const AGE = `clock_timestamp() - :ageMs * interval '1 ms'`;

@Injectable()
export class WorkerRepository {
  constructor(private readonly source: DataSource) {}

  async save(worker: WorkerReport): Promise<void> {
    await this.source
      .createQueryBuilder()
      .insert()
      .into(WorkerRow)
      .values({ ...worker, seenAt: () => 'clock_timestamp()' })
      .orUpdate(['slots', 'busy', 'healthy', 'browser', 'sandbox', 'seen_at'], ['id'])
      .updateEntity(false)
      .execute();
  }

  async remove(id: string): Promise<void> {
    await this.source.getRepository(WorkerRow).delete({ id });
  }

  listSeenWithin(ageMs: number): Promise<WorkerRow[]> {
    return this.source
      .createQueryBuilder(WorkerRow, 'worker')
      .where(`worker.seen_at >= ${AGE}`, { ageMs })
      .orderBy('worker.id')
      .getMany();
  }

  async removeUnseenFor(ageMs: number): Promise<void> {
    await this.source
      .createQueryBuilder()
      .delete()
      .from(WorkerRow)
      .where(`seen_at < ${AGE}`, { ageMs })
      .execute();
  }
}
