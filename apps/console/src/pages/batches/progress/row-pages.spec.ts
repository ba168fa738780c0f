import { describe, expect, it } from '@jest/globals';
import type { CaptureList, CaptureRecord } from '@capture-service/client';
import { joinPages, PAGE_ROWS, stalePages } from './row-pages.js';

/** Pages of rows with these statuses, of which only the first ones are loaded. */
const pagesOf = (statuses: readonly CaptureRecord['status'][], loaded = Infinity) =>
  joinPages((cursor): CaptureList | undefined => {
    const page = Number(cursor ?? 0);
    if (page >= loaded) return undefined;
    const begin = page * PAGE_ROWS;
    const items = statuses.slice(begin, begin + PAGE_ROWS).map((status) => ({ status }) as CaptureRecord);
    const isLast = begin + PAGE_ROWS >= statuses.length;
    return { items, next_cursor: isLast ? null : String(page + 1) };
  });

describe('the pages of rows', () => {
  it('are joined as far as they are loaded', () => {
    const all = Array.from({ length: 250 }, () => 'succeeded' as const);
    expect(pagesOf(all, 2)).toMatchObject({ cursors: [undefined, '1', '2'], isComplete: false });
    expect(pagesOf(all, 2).rows).toHaveLength(200);
    expect(pagesOf(all)).toMatchObject({ cursors: [undefined, '1', '2'], isComplete: true });
    expect(pagesOf([], 0)).toEqual({ rows: [], cursors: [undefined], isComplete: false });
  });

  it('are read again where they are in view and have rows that have not ended', () => {
    const statuses = Array.from({ length: 300 }, (_, i) =>
      i === 150 ? ('running' as const) : ('succeeded' as const),
    );
    const pages = pagesOf(statuses);
    expect(stalePages(pages, { first: 0, last: 20, filter: 'all' })).toEqual([]);
    expect(stalePages(pages, { first: 90, last: 110, filter: 'all' })).toEqual([1]);
  });

  it('are all read again in view of a status, and the last one at the end', () => {
    const pages = pagesOf(Array.from({ length: 150 }, () => 'failed' as const));
    expect(stalePages(pages, { first: 0, last: 20, filter: 'failed' })).toEqual([0]);
    expect(stalePages(pages, { first: 90, last: 149, filter: 'failed' })).toEqual([0, 1]);
  });
});
