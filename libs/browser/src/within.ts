/** A step of the browser's life took longer than it may. */
export class TimeoutError extends Error {
  override readonly name = 'TookTooLongError';

  constructor(what: string, ms: number) {
    super(`${what} took longer than ${ms} ms`);
  }
}

/**
 * Settles as `work` does, or rejects after `ms`. The work itself goes on: Puppeteer gives no way to stop it, so the
 * caller kills the browser, which ends it.
 *
 * @throws TookTooLongError
 */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimeoutError(what, ms)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
