import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventLoopService } from './event-loop.service.js';

/** An event loop whose time stands still until it is set. */
class SteeredEventLoop extends EventLoopService {
  now = 0;

  protected override nowMs(): number {
    return this.now;
  }
}

const PERIOD_MS = 500;

describe(EventLoopService.name, () => {
  let loop: SteeredEventLoop;

  beforeEach(() => {
    jest.useFakeTimers();
    loop = new SteeredEventLoop();
    loop.onModuleInit();
  });

  afterEach(() => {
    loop.onApplicationShutdown();
    jest.useRealTimers();
  });

  /** The timer fires, this late. */
  const tick = (lateMs: number): void => {
    loop.now += PERIOD_MS + lateMs;
    jest.advanceTimersByTime(PERIOD_MS);
  };

  it('reports no lag while its timer fires in time', () => {
    expect(loop.lagMs()).toBe(0);
    tick(0);
    loop.now += PERIOD_MS;
    expect(loop.lagMs()).toBe(0);
  });

  it('reports how late the timer is while the event loop is blocked, and how late it was until it fires again', () => {
    loop.now = PERIOD_MS + 700;
    expect(loop.lagMs()).toBe(700);
    loop.now = 0;
    tick(700);
    expect(loop.lagMs()).toBe(700);
    tick(0);
    expect(loop.lagMs()).toBe(0);
  });

  it('leaves no timer behind', () => {
    loop.onApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
  });
});
