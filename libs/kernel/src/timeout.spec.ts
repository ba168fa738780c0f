import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { TimeoutError, unlessAborted, withTimeout } from './timeout.js';

const endless = (): Promise<never> => new Promise<never>(() => undefined);

describe(withTimeout.name, () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('settles as the work does', async () => {
    const fault = new Error('no');
    await expect(withTimeout(Promise.resolve(1), 60_000, 'adding')).resolves.toBe(1);
    await expect(withTimeout(Promise.reject(fault), 60_000, 'adding')).rejects.toBe(fault);
  });

  it('rejects when the work takes longer, and names it', async () => {
    const error: unknown = await withTimeout(endless(), 1, 'adding').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect((error as Error).message).toBe('adding took longer than 1 ms');
  });

  it('leaves no timer behind, which would keep the process', async () => {
    jest.useFakeTimers();
    await withTimeout(Promise.resolve(1), 60_000, 'adding');
    await withTimeout(Promise.reject(new Error('no')), 60_000, 'adding').catch(() => undefined);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('drops a failure that comes too late', async () => {
    const { promise: work, reject } = Promise.withResolvers<never>();
    await expect(withTimeout(work, 1, 'adding')).rejects.toBeInstanceOf(TimeoutError);
    reject(new Error('late'));
    // An unhandled rejection would fail this file.
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe(unlessAborted.name, () => {
  it('settles as the work does while nothing aborts', async () => {
    await expect(unlessAborted(Promise.resolve(1), new AbortController().signal)).resolves.toBe(1);
  });

  it('rejects with the reason of the signal, also when it has aborted already', async () => {
    const reason = new Error('closed');
    const controller = new AbortController();
    const waiting = unlessAborted(endless(), controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(unlessAborted(endless(), controller.signal)).rejects.toBe(reason);
  });
});
