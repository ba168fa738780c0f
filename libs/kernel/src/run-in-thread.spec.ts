import { describe, expect, it } from '@jest/globals';
import { runInThread } from './run-in-thread.js';
import { TimeoutError } from './timeout.js';

const IMPORTS = `import { parentPort, workerData } from 'node:worker_threads';`;
const moduleOf = (source: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(IMPORTS + source)}`);
const LIMITS = { data: null, maxHeapMb: 100, timeoutMs: 60_000, what: 'the work' };
const ENDLESS = moduleOf('for (;;);');

describe(runInThread, () => {
  it('returns what the thread posts about its data, which it gets without the environment', async () => {
    const file = moduleOf('parentPort.postMessage([workerData.length, Object.keys(process.env)])');
    expect(await runInThread(file, { ...LIMITS, data: 'four' })).toEqual([4, []]);
  });

  it('ends a thread that is in the midst of a loop, at its time or when its work is no longer wanted', async () => {
    await expect(runInThread(ENDLESS, { ...LIMITS, timeoutMs: 200 })).rejects.toThrow(TimeoutError);
    const controller = new AbortController();
    const running = runInThread(ENDLESS, { ...LIMITS, signal: controller.signal });
    const reason = new Error('canceled');
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  it('rejects with the error of the thread, and when it ends without an answer', async () => {
    await expect(runInThread(moduleOf('throw new Error("broken")'), LIMITS)).rejects.toThrow('broken');
    await expect(runInThread(moduleOf(''), LIMITS)).rejects.toThrow('The thread for the work ended with 0');
  });
});
