import type { PageLease } from './page-lease.js';

/** A caller's turn with a page. */
export interface PageGrant {
  readonly lease: PageLease;
  /** Gives the page back. */
  end(): void;
}

/** A caller as a slot sees it. */
export interface Caller {
  /** Lets the caller have the page; resolves when it gave the page back. */
  serve(lease: PageLease): Promise<void>;
}

interface WaitingCaller extends Caller {
  refuse(reason: unknown): void;
}

/** First come, first served: callers that wait for a page meet slots that wait for a caller. */
export class SlotQueue {
  private readonly callers: WaitingCaller[] = [];
  private readonly slots: ((caller: Caller) => void)[] = [];
  private readonly resting = new Set<() => void>();
  private closedBy?: Error;

  /** Waits for a page. Rejects with the reason of `signal`, or with that of `close`. */
  join(signal: AbortSignal): Promise<PageGrant> {
    return new Promise((resolve, reject) => {
      if (this.closedBy !== undefined) throw this.closedBy;
      signal.throwIfAborted();
      const leave = (): void => {
        remove(this.callers, caller);
        reject(signal.reason);
      };
      const caller: WaitingCaller = {
        serve: (lease) => {
          // It may have left between being picked and being served.
          if (signal.aborted) return Promise.resolve();
          signal.removeEventListener('abort', leave);
          return new Promise((end) => resolve({ lease, end }));
        },
        refuse: (reason) => {
          signal.removeEventListener('abort', leave);
          reject(reason);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      const slot = this.slots.shift();
      if (slot !== undefined) return slot(caller);
      this.callers.push(caller);
      for (const wake of this.resting) wake();
    });
  }

  /** Waits for a caller; undefined when `signal` aborts first. */
  next(signal: AbortSignal): Promise<Caller | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const first = this.callers.shift();
      if (first !== undefined) return resolve(first);
      const leave = (): void => {
        remove(this.slots, meet);
        resolve(undefined);
      };
      const meet = (caller: Caller): void => {
        signal.removeEventListener('abort', leave);
        resolve(caller);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.slots.push(meet);
    });
  }

  /** A rest of `ms`, over as soon as somebody has to wait. */
  rest(ms: number): Promise<void> {
    if (this.callers.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.resting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.resting.add(wake);
    });
  }

  /** Refuses who waits and who comes. */
  close(reason: Error): void {
    this.closedBy = reason;
    for (const caller of this.callers.splice(0)) caller.refuse(reason);
    for (const wake of this.resting) wake();
  }
}

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index !== -1) list.splice(index, 1);
}
