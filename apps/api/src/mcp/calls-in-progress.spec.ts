import { describe, expect, it } from '@jest/globals';
import { unlessAborted } from '@app/kernel';
import { CallsInProgress } from './calls-in-progress.js';

describe(CallsInProgress.name, () => {
  const name = { keyId: 'key', session: 'session', requestId: 1 };

  it('cancels a call by its own key, session and id alone', async () => {
    const calls = new CallsInProgress();
    let canceled: AbortSignal | undefined;
    const call = calls.run(name, new AbortController().signal, (signal) => {
      canceled = signal;
      return unlessAborted(Promise.withResolvers<void>().promise, signal);
    });
    call.catch(() => undefined);
    for (const other of [{ keyId: 'other' }, { session: 'other' }, { requestId: '1' }]) {
      calls.cancel({ ...name, ...other });
      expect(canceled?.aborted).toBe(false);
    }
    calls.cancel(name);
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('forgets a call that has ended, but not a later one of the same name', async () => {
    const calls = new CallsInProgress();
    const { signal } = new AbortController();
    const first = Promise.withResolvers<void>();
    const running = calls.run(name, signal, () => first.promise);
    const later = calls.run(name, signal, (end) => unlessAborted(Promise.withResolvers<void>().promise, end));
    first.resolve();
    await running;
    calls.cancel(name);
    await expect(later).rejects.toMatchObject({ name: 'AbortError' });
  });
});
