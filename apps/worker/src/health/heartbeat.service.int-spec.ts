import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BrowserPoolService } from '@app/browser';
import { KNOWN_FEATURES } from '@app/capture';
import { FiltersModule } from '@app/filters';
import { WorkerRegistryModule, WorkerRegistryService } from '@app/jobs';
import { onePagePool } from '../../../../test/support/browser.js';
import { startModules, type StartedModules } from '../../../../test/support/modules.js';
import { WorkerIdentity } from '../worker-identity.js';
import { HeartbeatService } from './heartbeat.service.js';

describe(HeartbeatService.name, () => {
  let started: StartedModules;

  beforeEach(async () => {
    started = await startModules({
      imports: [FiltersModule, WorkerRegistryModule],
      providers: [HeartbeatService, WorkerIdentity, { provide: BrowserPoolService, useValue: onePagePool() }],
    });
  });

  afterEach(() => started.close());

  const workers = () => started.app.get(WorkerRegistryService).list();

  it('reports the worker with the options that it knows as soon as it has started', async () => {
    const { id } = started.app.get(WorkerIdentity);
    expect(await workers()).toMatchObject([{ id, busy: 0, healthy: 1 }]);
    const { rows } = await started.database.query(`SELECT features FROM workers`);
    expect(rows).toEqual([{ features: KNOWN_FEATURES }]);
  });

  it('removes the worker when it shuts down, so that nobody counts on its slots', async () => {
    await started.app.get(HeartbeatService).onModuleDestroy();
    expect(await workers()).toEqual([]);
  });
});
