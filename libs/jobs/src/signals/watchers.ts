/**
 * Called when something may have changed. The version is a short text that differs whenever a change matters; it is ''
 * for something that no longer exists, and null when the listener has to read the state itself.
 */
export type ChangeListener = (version: string | null) => void;

/** Reads the versions of these ids; those that no longer exist are left out. */
type ReadVersions = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** How to wait for the end of a record. */
export interface EndWait<R> {
  readonly read: () => Promise<R>;
  readonly isFinal: (record: R) => boolean;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The record as it was a moment ago, which saves the first read. An end since then is noticed by the next poll. */
  readonly known?: R | undefined;
}

/**
 * The listeners of this process, by the id that they watch. A notification reaches them at once; one poll for all of
 * them finds what no notification said, or what was lost with its connection.
 */
export class Watchers {
  private readonly listeners = new Map<string, Set<ChangeListener>>();
  private timer: NodeJS.Timeout | undefined;
  private isPolling = false;

  constructor(
    private readonly pollMs: number,
    private readonly readVersions: ReadVersions,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.poll(), this.pollMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** How many ids are watched. */
  get size(): number {
    return this.listeners.size;
  }

  /** Calls `listener` at changes, and at every poll, until the returned function is called. */
  watch(id: string, listener: ChangeListener): () => void {
    this.listeners.set(id, (this.listeners.get(id) ?? new Set()).add(listener));
    return () => {
      const listeners = this.listeners.get(id);
      listeners?.delete(listener);
      if (listeners?.size === 0) this.listeners.delete(id);
    };
  }

  /**
   * Returns the record once it is final, or as it is after `timeoutMs` or when `signal` aborts, whichever is first.
   *
   * @param isEnd whether a version of this id is, or may be, final
   */
  async readAtEnd<R>(
    id: string,
    isEnd: (version: string | null) => boolean,
    { read, isFinal, timeoutMs, signal, known }: EndWait<R>,
  ): Promise<R> {
    const stop = new AbortController();
    const waitSignal = AbortSignal.any(signal ? [stop.signal, signal] : [stop.signal]);
    const deadline = performance.now() + timeoutMs;
    let next = known;
    try {
      for (;;) {
        // The wait begins before the record is read, so that an end in between is noticed.
        const end = this.waitForEnd(id, isEnd, {
          timeoutMs: deadline - performance.now(),
          signal: waitSignal,
        });
        const record = next ?? (await read());
        next = undefined;
        if (isFinal(record)) return record;
        // A notification can be older than the record: a batch may have been reopened since it ended.
        if (!(await end)) return await read();
      }
    } finally {
      stop.abort();
    }
  }

  notify(id: string, version: string | null): void {
    for (const listener of this.listeners.get(id) ?? []) listener(version);
  }

  /** Resolves with whether `isEnd` has accepted a version of this id before `timeoutMs` passed or `signal` aborted. */
  private waitForEnd(
    id: string,
    isEnd: (version: string | null) => boolean,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (hasEnded: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        unwatch();
        resolve(hasEnded);
      };
      const giveUp = (): void => {
        done(false);
      };
      const timer = setTimeout(giveUp, timeoutMs);
      const unwatch = this.watch(id, (version) => {
        if (isEnd(version)) done(true);
      });
      signal.addEventListener('abort', giveUp);
      if (signal.aborted) giveUp();
    });
  }

  private async poll(): Promise<void> {
    if (this.isPolling || this.listeners.size === 0) return;
    this.isPolling = true;
    try {
      const ids = [...this.listeners.keys()];
      const versions = await this.readVersions(ids);
      for (const id of ids) this.notify(id, versions.get(id) ?? '');
    } catch {
      // The database is down, which readiness reports; the next poll tries again.
    } finally {
      this.isPolling = false;
    }
  }
}
