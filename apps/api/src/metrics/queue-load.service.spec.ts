import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { JobBacklogRepository, RunnableJobsService, WorkerRegistryService } from '@app/jobs';
import { ManualClock } from '@app/kernel';
import { MetricsService } from '@app/metrics';
import { QueueLoadService } from './queue-load.service.js';

Logger.overrideLogger(false);

describe(QueueLoadService.name, () => {
  const clock = new ManualClock(new Date());
  let running: number;
  let readings: number;
  let isAway: boolean;
  let load: QueueLoadService;

  beforeEach(() => {
    running = 5;
    readings = 0;
    isAway = false;
    const readInFlight = () => {
      readings += 1;
      return isAway ? Promise.reject(new Error('away')) : Promise.resolve({ dispatched: 3, running });
    };
    load = new QueueLoadService(
      new MetricsService(),
      { readInFlight } as unknown as JobBacklogRepository,
      { count: () => Promise.resolve(7) } as unknown as RunnableJobsService,
      { listTaking: () => Promise.resolve([{ slots: 4 }, { slots: 2 }]) } as unknown as WorkerRegistryService,
      clock,
    );
  });

  const passS = (s: number) => clock.set(new Date(clock.now().getTime() + s * 1_000));

  it('adds up what could run and what runs', async () => {
    expect(await load.read()).toEqual({ queued: 10, running: 5, unfinished: 15, slots: 6, workers: 2 });
  });

  it('reads the database at most once in three seconds', async () => {
    await Promise.all([load.read(), load.read()]);
    running = 6;
    passS(2.9);
    expect(await load.read()).toMatchObject({ running: 5 });
    expect(readings).toBe(1);
    passS(0.1);
    expect(await load.read()).toMatchObject({ running: 6 });
  });

  it('repeats the last answer during a short outage, and none that is older than 15 seconds', async () => {
    await load.read();
    isAway = true;
    passS(14);
    expect(await load.read()).toMatchObject({ running: 5 });
    passS(1);
    await expect(load.read()).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    isAway = false;
    expect(await load.read()).toMatchObject({ running: 5 });
  });
});
