import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { BrowserPoolService } from '@app/browser';
import { LanesService } from '../captures/lanes.service.js';
import { BrowserWatchService } from './browser-watch.service.js';
import { EventLoopService } from './event-loop.service.js';

/** A browser that is replaced takes a second or two; after this long the worker is of no use to anybody. */
const READY_WITHOUT_BROWSER_MS = 10_000;

/** The pool has tried some sixty times by then: what is left to try is another process. */
const ALIVE_WITHOUT_BROWSER_MS = 5 * 60_000;

/** With the event loop this far behind, the leases are about to be lost. */
const MAX_LAG_MS = 5_000;

/** What a worker can say of itself. */
@Injectable()
export class WorkerVitalsService {
  constructor(
    private readonly indicator: HealthIndicatorService,
    private readonly pool: BrowserPoolService,
    private readonly browsers: BrowserWatchService,
    private readonly eventLoop: EventLoopService,
    private readonly lanes: LanesService,
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
    return this.verdict('serving', !this.lanes.isClosing, {});
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
