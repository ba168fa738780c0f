import { hasEnded, type CaptureList, type CaptureRecord } from '@capture-service/client';
import type { RowStatus } from '../batch-counts.js';

export const PAGE_ROWS = 100;

/** The pages that are loaded, from the first one on. */
export interface RowPages {
  readonly rows: readonly CaptureRecord[];
  /** The cursor of each page that is loaded, and of the next one. */
  readonly cursors: readonly (string | undefined)[];
  readonly isComplete: boolean;
}

/** Follows the cursors through the pages that are there. */
export function joinPages(pageAt: (cursor: string | undefined) => CaptureList | undefined): RowPages {
  const rows: CaptureRecord[] = [];
  const cursors: (string | undefined)[] = [];
  let cursor: string | undefined;
  for (;;) {
    cursors.push(cursor);
    const page = pageAt(cursor);
    if (!page) return { rows, cursors, isComplete: false };
    rows.push(...page.items);
    if (page.next_cursor === null) return { rows, cursors, isComplete: true };
    cursor = page.next_cursor;
  }
}

/** The pages of the rows in view that may differ from what is shown, as indexes. */
export function stalePages(
  { rows, cursors }: RowPages,
  { first, last, filter }: { first: number; last: number; filter: RowStatus | 'all' },
): number[] {
  const pages = new Set<number>();
  for (let page = Math.floor(first / PAGE_ROWS); page <= Math.floor(last / PAGE_ROWS); page++) {
    const mayChange = filter !== 'all' || rowsOf(rows, page).some((row) => !hasEnded(row));
    if (page < cursors.length && mayChange) pages.add(page);
  }
  // A row that has just ended is in the last page of its status, unless an earlier row took longer.
  if (filter !== 'all' && last >= rows.length - 1) pages.add(cursors.length - 1);
  return [...pages];
}

function rowsOf(rows: readonly CaptureRecord[], page: number): readonly CaptureRecord[] {
  return rows.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS);
}
