import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { BrowserPoolService } from '@app/browser';
import { FilterListsService } from '@app/filters';
import { LanesService } from '../captures/lanes.service.js';
import { BrowserWatchService } from './browser-watch.service.js';
import { EventLoopService } from './event-loop.service.js';

/** Replacing a browser takes a second or two; a worker without a browser for this long cannot run captures. */
const READY_WITHOUT_BROWSER_MS = 10_000;

/** The pool has tried to start one about sixty times by then; only a restart may help. */
const ALIVE_WITHOUT_BROWSER_MS = 5 * 60_000;

/** With the event loop this late, leases are about to expire. */
const MAX_LAG_MS = 5_000;

/** Checks the worker itself. */
@Injectable()
export class WorkerVitalsService {
  constructor(
    private readonly indicator: HealthIndicatorService,
    private readonly pool: BrowserPoolService,
    private readonly browsers: BrowserWatchService,
    private readonly eventLoop: EventLoopService,
    private readonly lanes: LanesService,
    private readonly lists: FilterListsService,
  ) {}

  eventLoopMoves(): HealthIndicatorResult {
    const lag_ms = this.eventLoop.lagMs();
    return this.verdict('event_loop', lag_ms < MAX_LAG_MS, { lag_ms });
  }

  browsersCanStart(): HealthIndicatorResult {
    return this.browserRanWithin(ALIVE_WITHOUT_BROWSER_MS);
  }

  aBrowserRuns(): HealthIndicatorResult {
    return this.browserRanWithin(READY_WITHOUT_BROWSER_MS);
  }

  takesCaptures(): HealthIndicatorResult {
    const { isClosing, state } = this.lanes;
    return this.verdict('serving', !isClosing && state === 'active', { state });
  }

  /** Always up: a capture without the newest lists is better than none. Its details say what is wrong with them. */
  filterLists(): HealthIndicatorResult {
    return this.verdict('filter_lists', true, { ...this.lists.state() });
  }

  private browserRanWithin(ms: number): HealthIndicatorResult {
    const down_ms = this.browsers.downMs();
    return this.verdict('browser', down_ms < ms, { ...this.pool.state(), down_ms });
  }

  private verdict(key: string, holds: boolean, facts: Record<string, unknown>): HealthIndicatorResult {
    const check = this.indicator.check(key);
    return holds ? check.up(facts) : check.down(facts);
  }
}
