import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BatchUpkeepModule } from '@app/bulk';
import { parseOptions } from '@app/capture';
import { DatabaseModule } from '@app/database';
import { AttemptsService, JobsService } from '@app/jobs';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';
import { ReconciliationTask } from './reconciliation.task.js';

describe(ReconciliationTask.name, () => {
  let started: StartedModules;
  let jobId: string;

  beforeAll(async () => {
    started = await startJobs({
      imports: [BatchUpkeepModule, DatabaseModule, WorkerMetricsModule],
      providers: [ReconciliationTask],
    });
  });

  afterAll(() => started.close());

  beforeEach(async () => {
    const accountId = await started.database.addAccount();
    const options = parseOptions({ url: 'https://example.com' });
    ({ id: jobId } = (await started.app.get(JobsService).submit({ accountId, source: 'sync', options })).job);
    await started.app.get(AttemptsService).claim(jobId, 'lost');
    await started.database.query(`UPDATE jobs SET lease_until = now() - interval '1 s' WHERE id = $1`, [
      jobId,
    ]);
  });

  const status = async (): Promise<string | undefined> => {
    const { rows } = await started.database.query<{ status: string }>(
      `SELECT status FROM jobs WHERE id = $1`,
      [jobId],
    );
    return rows[0]?.status;
  };

  it('takes the captures of a lost worker away from it', async () => {
    await started.app.get(ReconciliationTask).run();
    expect(await status()).toBe('queued');
  });

  it('leaves them for some time after a run has failed, in which no worker could renew a lease', async () => {
    await started.database.query('ALTER TABLE jobs RENAME TO jobs_away');
    await expect(started.app.get(ReconciliationTask).run()).rejects.toThrow('jobs');
    await started.database.query('ALTER TABLE jobs_away RENAME TO jobs');
    await started.app.get(ReconciliationTask).run();
    expect(await status()).toBe('running');
  });
});
