import { pause } from '@app/kernel';
import type { PageLease } from '../page/page-lease.js';

/** A page that a caller has been granted, until the caller releases it. */
export interface PageGrant {
  readonly lease: PageLease;
  readonly release: () => void;
}

/** A waiting caller, as a slot sees it. */
export interface Caller {
  /** Callers with the same text may get the same context, one after the other. */
  readonly share: string | undefined;
  /** Grants the page to the caller; resolves when the caller has released it. */
  serve(lease: PageLease): Promise<void>;
}

interface QueuedCaller extends Caller {
  refuse(reason: unknown): void;
}

/** A slot that is between two captures gets ready sooner; after this time one more browser is worth its start. */
const WAKE_AFTER_MS = 100;

/**
 * Matches callers that wait for a page, in the order of their arrival, with slots that wait for a caller. The slot that was
 * ready last comes first, so that those beyond the demand stay idle and can end their browsers.
 */
export class SlotQueue {
  private readonly callers: QueuedCaller[] = [];
  /** Slots without a browser. */
  private readonly sleepers: (() => void)[] = [];
  private readonly slots: ((caller: Caller) => void)[] = [];
  /** Aborted when a caller has to wait, or the queue is closed. */
  private callerWaits = new AbortController();
  private closedBy?: Error;

  /** Waits for a page. Rejects with the reason of `signal`, or with that of `close`. */
  acquire(signal: AbortSignal, share?: string): Promise<PageGrant> {
    return new Promise((resolve, reject) => {
      if (this.closedBy !== undefined) throw this.closedBy;
      signal.throwIfAborted();
      const waking = setTimeout(() => this.sleepers.shift()?.(), WAKE_AFTER_MS);
      const leave = (): void => {
        clearTimeout(waking);
        remove(this.callers, caller);
        reject(signal.reason);
      };
      const caller: QueuedCaller = {
        share,
        serve: (lease) => {
          clearTimeout(waking);
          // The caller may have left after a slot picked it.
          if (signal.aborted) return Promise.resolve();
          signal.removeEventListener('abort', leave);
          return new Promise((release) => resolve({ lease, release }));
        },
        refuse: (reason) => {
          clearTimeout(waking);
          signal.removeEventListener('abort', leave);
          reject(reason);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      const slot = this.slots.pop();
      if (slot !== undefined) return slot(caller);
      this.callers.push(caller);
      this.endPauses();
    });
  }

  /** Waits for a caller; undefined when `signal` aborts first. */
  nextCaller(signal: AbortSignal): Promise<Caller | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const first = this.callers.shift();
      if (first !== undefined) return resolve(first);
      const leave = (): void => {
        remove(this.slots, serveCaller);
        resolve(undefined);
      };
      const serveCaller = (caller: Caller): void => {
        signal.removeEventListener('abort', leave);
        resolve(caller);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.slots.push(serveCaller);
    });
  }

  /** Waits until callers wait that no slot is about to serve, or until `signal` aborts. Each of them wakes one slot. */
  async demand(signal: AbortSignal): Promise<void> {
    if (this.callers.length > 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.sleepers.push(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
  }

  /** Pauses for `ms`, or until a caller has to wait. */
  async pauseWhileIdle(ms: number): Promise<void> {
    if (this.callers.length === 0) await pause(ms, this.callerWaits.signal);
  }

  /** Rejects all waiting and future callers. */
  close(reason: Error): void {
    this.closedBy = reason;
    for (const caller of this.callers.splice(0)) caller.refuse(reason);
    this.endPauses();
  }

  private endPauses(): void {
    this.callerWaits.abort();
    this.callerWaits = new AbortController();
  }
}

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index !== -1) list.splice(index, 1);
}
