import { afterEach, describe, expect, it } from '@jest/globals';
import { EventLoopService } from './event-loop.service.js';

describe(EventLoopService.name, () => {
  const loop = new EventLoopService();

  afterEach(() => {
    loop.onApplicationShutdown();
  });

  it('is behind for as long as something kept it, and no longer when it moves', async () => {
    loop.onModuleInit();
    expect(loop.lagMs()).toBeLessThan(400);
    // Nothing else of this process can run meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    expect(loop.lagMs()).toBeGreaterThanOrEqual(400);
    while (loop.lagMs() >= 400) await new Promise((resolve) => setImmediate(resolve));
  });
});
