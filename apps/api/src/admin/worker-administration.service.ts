import { Injectable } from '@nestjs/common';
import { AuditRepository, type Actor } from '@app/audit';
import { DatabaseService } from '@app/database';
import {
  parseWorkerName,
  QueueOverviewRepository,
  WorkerRegistryService,
  type LiveWorker,
  type RunningJob,
} from '@app/jobs';
import { AppError } from '@app/kernel';
import { AccountsService } from '@app/usage';
import { toWorkerRecord, type WorkerList, type WorkerRecord } from './worker.response.js';

/** Shows the workers to operators, drains them, and has them take captures again. */
@Injectable()
export class WorkerAdministrationService {
  constructor(
    private readonly registry: WorkerRegistryService,
    private readonly queue: QueueOverviewRepository,
    private readonly accounts: AccountsService,
    private readonly database: DatabaseService,
    private readonly audit: AuditRepository,
  ) {}

  async list(): Promise<WorkerList> {
    return { items: await this.describe(await this.registry.list()) };
  }

  /**
   * Has a worker take no more captures, or take them again. A repeated request changes nothing.
   *
   * @throws AppError `not_found`
   */
  async setDrain(id: string, drain: boolean, by: Actor): Promise<WorkerRecord> {
    const { id: name } = await this.find(id);
    const { host } = parseWorkerName(name);
    await this.database.transaction(async (transaction) => {
      if (!(await this.registry.setDrain(transaction, name, drain))) return;
      await this.audit.record(transaction, by, {
        action: drain ? 'worker.drain_started' : 'worker.resumed',
        accountId: null,
        subjectId: id,
        before: { host, drain: !drain },
        after: { host, drain },
      });
    });
    const [record] = await this.describe([await this.find(id)]);
    if (!record) throw gone();
    return record;
  }

  private async find(id: string): Promise<LiveWorker> {
    const worker = (await this.registry.list()).find(({ id: name }) => parseWorkerName(name).id === id);
    if (!worker) throw gone();
    return worker;
  }

  private async describe(workers: readonly LiveWorker[]): Promise<WorkerRecord[]> {
    const jobs = await this.queue.listRunning();
    const names = await this.namesOf(jobs);
    return workers.map((worker) =>
      toWorkerRecord(
        worker,
        jobs.filter(({ workerId }) => workerId === worker.id),
        names,
      ),
    );
  }

  private async namesOf(jobs: readonly RunningJob[]): Promise<ReadonlyMap<string, string>> {
    const accounts = await this.accounts.listByIds([...new Set(jobs.map(({ accountId }) => accountId))]);
    return new Map(accounts.map(({ id, name }) => [id, name]));
  }
}

function gone(): AppError {
  return new AppError('not_found', { detail: 'No worker with this id is alive.' });
}
