import { withTimeout } from '@app/kernel';
import type { PreparedPage } from '../page/prepared-page.js';

/** A capture that takes longer waits for the network, so that the next page costs it nothing. */
const OPEN_AFTER_MS = 500;

/** Maximum wait for a page that is being opened when its slot closes. */
const STOP_MS = 2_000;

/**
 * The page of the next capture. It is opened while a capture waits, because the browser could serve no other one until then.
 */
export class NextPage {
  private readonly timer: NodeJS.Timeout;
  private opening?: Promise<PreparedPage>;

  constructor(private readonly open: () => Promise<PreparedPage>) {
    this.timer = setTimeout(() => {
      this.opening = open();
      // The slot learns of it when it takes the page.
      this.opening.catch(() => undefined);
    }, OPEN_AFTER_MS);
  }

  /** From now on the page is not opened until it is taken. */
  postpone(): void {
    clearTimeout(this.timer);
  }

  /** Opens no page any more; resolves when one that is being opened is open, or after a while. */
  async stop(): Promise<void> {
    this.postpone();
    if (this.opening) await withTimeout(this.opening, STOP_MS, 'preparing a page').catch(() => undefined);
  }

  /** Resolves to the page, which is opened after `before` unless that has begun already. */
  async takePage(before: () => Promise<void>): Promise<PreparedPage> {
    this.postpone();
    if (this.opening === undefined) await before();
    return this.opening ?? this.open();
  }
}
