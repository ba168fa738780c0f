const handlers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `handler` when the signal aborts, until the returned function is called. Each signal has one listener: a caller may
 * use the same for hundreds of calls, and Node warns of a leak at eleven.
 */
export function onAbort(signal: AbortSignal | undefined, handler: () => void): () => void {
  if (!signal) return () => undefined;
  const known = handlers.get(signal);
  const own = known ?? new Set();
  own.add(handler);
  if (!known) {
    handlers.set(signal, own);
    const callAll = (): void => {
      for (const each of [...own]) each();
    };
    signal.addEventListener('abort', callAll, { once: true });
  }
  return () => {
    own.delete(handler);
  };
}
