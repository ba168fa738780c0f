import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseOptions } from '@app/capture';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { DispatcherService, JobQueue, JobsService, MemoryJobQueue, RecoveryService } from '../index.js';

/** A queue that takes so many more entries, and is down then. */
class FailingJobQueue extends MemoryJobQueue {
  takes = Infinity;
  asked = 0;

  override add(...entry: Parameters<JobQueue['add']>): Promise<boolean> {
    this.asked += 1;
    this.takes -= 1;
    return this.takes < 0 ? Promise.resolve(false) : super.add(...entry);
  }
}

describe(RecoveryService.name, () => {
  const queue = new FailingJobQueue();
  let service: StartedModules;

  beforeAll(async () => {
    service = await startJobs({ replace: [[JobQueue, queue]] });
  });

  afterAll(() => service.close());

  it('asks a queue that is down once, and not again for each job whose hint may be lost', async () => {
    const { app, database } = service;
    const accountId = await database.addAccount({ allowance: 10, concurrency: 5 });
    for (let n = 0; n < 5; n++) {
      await app
        .get(JobsService)
        .submit({ accountId, source: 'job', options: parseOptions({ url: `https://a.test/${n}` }) });
    }
    while ((await app.get(DispatcherService).round()) > 0);
    await database.query(`UPDATE jobs SET dispatched_at = now() - interval '1 min'`);
    const askedFor = async (takes: number): Promise<number> => {
      Object.assign(queue, { takes, asked: 0 });
      await app.get(RecoveryService).repeatHints();
      return queue.asked;
    };
    expect(await askedFor(0)).toBe(1);
    expect(await askedFor(2)).toBe(3);
    expect(await askedFor(Infinity)).toBe(5);
  });
});
