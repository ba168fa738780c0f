import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BrowserPoolService } from '@app/browser';
import { KNOWN_FEATURES } from '@app/capture';
import { FiltersModule } from '@app/filters';
import { WorkerRegistryModule, WorkerRegistryService } from '@app/jobs';
import { eventually } from '../../../../test/support/eventually.js';
import { onePagePool } from '../../../../test/support/browser.js';
import { startModules, type StartedModules } from '../../../../test/support/modules.js';
import { LanesService } from '../captures/lanes.service.js';
import { WorkerIdentity } from '../worker-identity.js';
import { HeartbeatService } from './heartbeat.service.js';

describe(HeartbeatService.name, () => {
  let started: StartedModules;
  const lanes = {
    state: 'active',
    outages: ['dns'],
    setDraining: (drain: boolean) => {
      lanes.state = drain ? 'drained' : 'active';
    },
  };

  beforeEach(async () => {
    started = await startModules({
      imports: [FiltersModule, WorkerRegistryModule],
      providers: [
        ...[HeartbeatService, WorkerIdentity],
        { provide: BrowserPoolService, useValue: onePagePool() },
        { provide: LanesService, useValue: lanes },
      ],
    });
  });

  afterEach(() => started.close());

  const workers = () => started.app.get(WorkerRegistryService).list();

  it('reports the worker with the options that it knows as soon as it has started', async () => {
    const { id } = started.app.get(WorkerIdentity);
    expect(await workers()).toMatchObject([
      {
        id,
        busy: 0,
        healthy: 1,
        state: 'active',
        drain: false,
        version: expect.any(String),
        outages: ['dns'],
      },
    ]);
    const { rows } = await started.database.query(`SELECT features FROM workers`);
    expect(rows).toEqual([{ features: KNOWN_FEATURES }]);
  });

  it('learns whether it shall drain, reports what it does about it, and is the same after its row was lost', async () => {
    await started.database.query('UPDATE workers SET drain = true');
    const reports = async (state: string, drain: boolean): Promise<boolean> => {
      const [worker] = await workers();
      return worker?.state === state && worker.drain === drain;
    };
    lanes.outages = [];
    await eventually('it reports that it has drained', () => reports('drained', true));
    await started.database.query('DELETE FROM workers');
    lanes.outages = ['store'];
    await eventually('it reports again', () => reports('drained', true));
    await started.database.query('UPDATE workers SET drain = false');
    lanes.outages = [];
    await eventually('it takes captures again', () => reports('active', false));
  });

  it('removes the worker when it shuts down, so that nobody counts on its slots', async () => {
    await started.app.get(HeartbeatService).onModuleDestroy();
    expect(await workers()).toEqual([]);
  });
});
