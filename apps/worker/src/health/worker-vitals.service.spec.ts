import { describe, expect, it } from '@jest/globals';
import { HealthIndicatorService } from '@nestjs/terminus';
import type { BrowserPoolService } from '@app/browser';
import type { FilterListsService } from '@app/filters';
import type { LanesService } from '../captures/lanes.service.js';
import type { BrowserWatchService } from './browser-watch.service.js';
import type { EventLoopService } from './event-loop.service.js';
import { WorkerVitalsService } from './worker-vitals.service.js';

const MINUTE_MS = 60_000;

const LISTS = {
  lists: [{ name: 'List', kind: 'ads', date: null, rules: 2 }],
  errors: ['lists.example/a.txt: its server answered 500'],
} as const;

const vitals = ({ downMs = 0, lagMs = 0, isClosing = false, state = 'active' }) =>
  new WorkerVitalsService(
    new HealthIndicatorService(),
    { state: () => ({ slots: 2, healthy: 0 }) } as unknown as BrowserPoolService,
    { downMs: () => downMs } as BrowserWatchService,
    { lagMs: () => lagMs } as EventLoopService,
    { isClosing, state } as LanesService,
    { state: () => LISTS } as unknown as FilterListsService,
  );

describe(WorkerVitalsService.name, () => {
  it.each([
    ['a browser that is being replaced', 3_000, 'up', 'up'],
    ['no browser for a minute', MINUTE_MS, 'down', 'up'],
    ['no browser for five minutes', 5 * MINUTE_MS, 'down', 'down'],
  ])('reports %s', (_, downMs, ready, live) => {
    const { browser } = vitals({ downMs }).aBrowserRuns();
    expect(browser).toMatchObject({ status: ready, slots: 2, healthy: 0, down_ms: downMs });
    expect(vitals({ downMs }).browsersCanStart().browser?.status).toBe(live);
  });

  it.each([
    [4_999, 'up'],
    [5_000, 'down'],
  ])('with an event loop lag of %i ms is %s', (lagMs, status) => {
    expect(vitals({ lagMs }).eventLoopMoves().event_loop).toEqual({ status, lag_ms: lagMs });
  });

  it('is up with filter lists that could not be updated, and says why', () => {
    expect(vitals({}).filterLists().filter_lists).toEqual({ status: 'up', ...LISTS });
  });

  it('takes no captures once it closes', () => {
    expect(vitals({}).takesCaptures().serving?.status).toBe('up');
    expect(vitals({ isClosing: true }).takesCaptures().serving?.status).toBe('down');
  });

  it.each(['draining', 'drained'])('says that it is %s, and takes no captures', (state) => {
    expect(vitals({ state }).takesCaptures().serving).toEqual({ status: 'down', state });
  });
});
