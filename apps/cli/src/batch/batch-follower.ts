import { setTimeout as wait } from 'node:timers/promises';
import {
  hasEnded,
  CaptureError,
  type BatchRecord,
  type CaptureClient,
  type CaptureRecord,
} from '@capture-service/client';
import type { OutageRetry } from './outage-retry.js';
import type { EndedRecord } from './row-outcome.js';

/** The largest page of the service. */
const PAGE_ROWS = 100;

/** Pause between two searches for ended rows: the time of the last one, times this, so that a search never costs the service much. */
const PAUSE_FACTOR = 4;
const MIN_PAUSE_MS = 200;

const CUT_OFF = 'The events of the batch ended before the batch did.';

/** What the follower of a batch reports to. */
export interface BatchListener {
  readonly signal: AbortSignal;
  readonly outageRetry: OutageRetry;
  /** Whether rows are still added to the batch, as to that of a crawl. */
  readonly canGrow?: boolean;
  onProgress(record: BatchRecord): void;
  /** Is called with the rows of each page that was read, in their order, before `onRow` for those that have ended. */
  onPage?(records: readonly CaptureRecord[]): void;
  /** Is called once for each row, when it has ended. The search for others waits until it resolves. */
  onRow(record: EndedRecord): Promise<void>;
}

/** A page of the results, as far as it is known. */
interface Page {
  readonly cursor: string | undefined;
  hasOpenRows: boolean;
}

/**
 * Follows a batch by its events, and looks for the rows that have ended since the last ones. The service lists rows in their
 * order only, so pages whose rows have all ended are not read again.
 */
export class BatchFollower {
  private readonly pages: Page[] = [firstPage()];
  private readonly seen = new Set<number>();
  private latest: BatchRecord | undefined;
  private wake: () => void = () => undefined;

  constructor(
    private readonly client: CaptureClient,
    private readonly id: string,
    private readonly listener: BatchListener,
  ) {}

  /** Returns the final record, after the last row. @throws whatever the service or the listener throws */
  async follow(): Promise<BatchRecord> {
    const events = this.listen();
    // Awaited below; until then its failure ends the search.
    events.catch(() => undefined);
    for (;;) {
      const batch = await this.nextNews(events);
      const startedAt = performance.now();
      // A row that is added may have a lower number than one that was there.
      if (hasEnded(batch) && this.listener.canGrow) this.pages.splice(0, Infinity, firstPage());
      await this.search(batch);
      if (hasEnded(batch)) return batch;
      await this.pause((performance.now() - startedAt) * PAUSE_FACTOR);
    }
  }

  /** Waits until the events tell of more ended rows than are seen, or of the end. */
  private async nextNews(events: Promise<void>): Promise<BatchRecord> {
    for (;;) {
      const { latest } = this;
      if (latest && (hasEnded(latest) || endedIn(latest) > this.seen.size)) return latest;
      const news = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      await Promise.race([news, events]);
      this.listener.signal.throwIfAborted();
    }
  }

  private async listen(): Promise<void> {
    const { signal, outageRetry } = this.listener;
    for (let attempt = 0; ; attempt++) {
      try {
        for await (const record of this.client.bulk.events(this.id, { signal })) {
          attempt = 0;
          outageRetry.isBack();
          this.latest = record;
          this.listener.onProgress(record);
          this.wake();
        }
        if (this.latest && hasEnded(this.latest)) return;
        throw new CaptureError({ code: 'connection_failed', detail: CUT_OFF, retryable: true });
      } catch (error) {
        await outageRetry.pauseAfter(error, attempt);
      }
    }
  }

  private async search(batch: BatchRecord): Promise<void> {
    for (let i = 0; i < this.pages.length; i++) {
      const page = this.pages[i];
      if (!page?.hasOpenRows) continue;
      if (!hasEnded(batch) && this.seen.size >= endedIn(batch)) return;
      await this.read(page, i === this.pages.length - 1);
    }
  }

  private async read(page: Page, isLast: boolean): Promise<void> {
    const { outageRetry, signal } = this.listener;
    const { items, next_cursor: next } = await outageRetry.run(() =>
      this.client.bulk.resultsPage(this.id, { limit: PAGE_ROWS, cursor: page.cursor }, { signal }),
    );
    this.listener.onPage?.(items);
    for (const record of items) await this.report(record);
    const mayGetRows = this.listener.canGrow === true && isLast && next === null;
    page.hasOpenRows = mayGetRows || !items.every(hasEnded);
    if (isLast && next !== null) this.pages.push({ cursor: next, hasOpenRows: true });
  }

  private async report(record: CaptureRecord): Promise<void> {
    const { row } = record;
    if (!hasEnded(record) || row === null || this.seen.has(row)) return;
    this.seen.add(row);
    await this.listener.onRow(record);
  }

  private async pause(ms: number): Promise<void> {
    const { signal } = this.listener;
    await wait(Math.max(ms, MIN_PAUSE_MS), undefined, { signal }).catch(() => {
      signal.throwIfAborted();
    });
  }
}

function firstPage(): Page {
  return { cursor: undefined, hasOpenRows: true };
}

function endedIn({ counts: { succeeded, failed, canceled } }: BatchRecord): number {
  return succeeded + failed + canceled;
}
