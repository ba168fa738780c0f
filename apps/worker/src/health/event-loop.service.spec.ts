import { afterEach, describe, expect, it } from '@jest/globals';
import { EventLoopService } from './event-loop.service.js';

describe(EventLoopService.name, () => {
  const loop = new EventLoopService();

  afterEach(() => {
    loop.onApplicationShutdown();
  });

  it('reports the lag while the event loop is blocked, and none afterwards', async () => {
    loop.onModuleInit();
    expect(loop.lagMs()).toBeLessThan(400);
    // Blocks the event loop.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    expect(loop.lagMs()).toBeGreaterThanOrEqual(400);
    while (loop.lagMs() >= 400) await new Promise((resolve) => setImmediate(resolve));
  });
});
