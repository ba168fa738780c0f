import { describe, expect, it } from '@jest/globals';
import { CaptureError, CaptureClient } from '@capture-service/client';
import { waitFor } from './run-capture.js';
import { ToolError } from './tool-errors.js';

describe(waitFor, () => {
  const start = () => {
    const [caller, closing] = [new AbortController(), new AbortController()];
    const canceled: string[] = [];
    const work = {
      id: 'job-1',
      wait: (signal: AbortSignal): Promise<never> =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
      cancel: () => {
        canceled.push('job-1');
        return Promise.reject(new CaptureError({ code: 'job_finished', detail: 'It has ended.' }));
      },
    };
    const call = {
      client: new CaptureClient({ baseUrl: 'http://127.0.0.1:1' }),
      signal: caller.signal,
      closing: closing.signal,
      mayUseUnsafe: false,
      baseUrl: '',
      report: () => undefined,
    };
    return { caller, closing, canceled, wait: (maxMs?: number) => waitFor(work, call, maxMs) };
  };

  it('cancels the work of a caller who has gone, also when it has ended meanwhile', async () => {
    const { caller, canceled, wait } = start();
    const waiting = wait();
    caller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    expect(canceled).toEqual(['job-1']);
  });

  it('leaves the work alone when the service restarts, and when it takes too long', async () => {
    const restarting = start();
    const waiting = restarting.wait();
    restarting.closing.abort();
    await expect(waiting).rejects.toThrow(/The service restarts\. The work goes on: .*"job-1"/);
    const long = start();
    await expect(long.wait(1)).rejects.toThrow(ToolError);
    expect([restarting.canceled, long.canceled]).toEqual([[], []]);
  });
});
