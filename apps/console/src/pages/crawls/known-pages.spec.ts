import { describe, expect, it } from '@jest/globals';
import type { CrawlPage, CrawlPageList } from '@capture-service/client';
import { NO_PAGES, pagesIn, PART_PAGES, readOn, type KnownPages } from './known-pages.js';

/** A list of pages as the service gives it: the cursor is the number of the last page before. */
class Listing {
  readonly reads: number[] = [];
  readonly outcomes: (CrawlPage['outcome'] | 'gone')[];

  constructor(count: number) {
    this.outcomes = Array.from({ length: count }, () => null);
  }

  readonly read = (cursor: string | undefined): Promise<CrawlPageList> => {
    const after = Number(cursor ?? 0);
    this.reads.push(after);
    const all = this.outcomes.flatMap((outcome, i) =>
      outcome === 'gone' || i < after ? [] : [{ number: i + 1, outcome } as CrawlPage],
    );
    const items = all.slice(0, PART_PAGES);
    const next = all.length > items.length ? String(items.at(-1)?.number) : null;
    return Promise.resolve({ items, next_cursor: next });
  };

  async readAll(isOver = false): Promise<KnownPages> {
    let known = NO_PAGES;
    while (!known.isComplete) known = await readOn(known, { isOver, read: this.read });
    this.reads.length = 0;
    return known;
  }
}

describe('the pages of a crawl that are known', () => {
  it('are read to the end of the list, some at a time', async () => {
    const listing = new Listing(720);
    const first = await readOn(NO_PAGES, { isOver: false, read: listing.read });
    expect([first.isComplete, pagesIn(first).length]).toEqual([false, 500]);
    const all = await readOn(first, { isOver: false, read: listing.read });
    expect([all.isComplete, all.isFinal, pagesIn(all).length]).toEqual([true, false, 720]);
    expect(listing.reads).toEqual([0, 100, 200, 300, 400, 500, 600, 700]);
  });

  it('are read again where one waits, and at the end of the list, which grows', async () => {
    const listing = new Listing(1_000);
    listing.outcomes.fill('ok', 0, 300);
    const known = await listing.readAll();
    listing.outcomes.push(null, null);
    listing.outcomes[305] = 'broken';
    const next = await readOn(known, { isOver: false, read: listing.read });
    expect(pagesIn(next)).toHaveLength(1_002);
    expect(pagesIn(next)[305]?.outcome).toBe('broken');
    expect(listing.reads.length).toBeLessThanOrEqual(6);
    expect(listing.reads).not.toContain(0);
  });

  it('are seen to change behind pages that take long', async () => {
    const listing = new Listing(1_000);
    let known = await listing.readAll();
    listing.outcomes.fill('ok', 700, 800);
    for (let i = 0; i < 12; i++) known = await readOn(known, { isOver: false, read: listing.read });
    expect(pagesIn(known)[750]?.outcome).toBe('ok');
  });

  it('are final once all that waited were read after the end of the crawl', async () => {
    const listing = new Listing(900);
    const known = await listing.readAll();
    listing.outcomes.fill('canceled', 0, 850);
    // What was found and never captured is left out at the end.
    listing.outcomes.fill('gone', 850, 900);
    const last = await readOn(known, { isOver: true, read: listing.read });
    expect(last.isFinal).toBe(true);
    expect(pagesIn(last)).toHaveLength(850);
    expect(pagesIn(last).every(({ outcome }) => outcome === 'canceled')).toBe(true);
  });

  it('are each there once when parts overlap', async () => {
    const listing = new Listing(250);
    listing.outcomes.fill('ok', 1, 250);
    const known = await listing.readAll();
    listing.outcomes[0] = 'gone';
    const next = await readOn(known, { isOver: false, read: listing.read });
    const numbers = pagesIn(next).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 249 }, (_, i) => i + 2));
  });
});
