/** Work took longer than its caller allowed. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(what: string, ms: number) {
    super(`${what} took longer than ${ms} ms`);
  }
}

/**
 * Settles as `work` does, or rejects after `ms`. The work itself continues: what it resolves or rejects with later is
 * dropped.
 *
 * @param what names the work in the message of the error
 * @throws TimeoutError
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimeoutError(what, ms)), ms);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles as `work` does, or rejects with the reason of `signal` when it aborts. The work itself continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
