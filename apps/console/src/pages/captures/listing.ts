import type { CaptureRow } from '../../capture-record/capture-row.js';

/** Rows of each page but the last: the most that the API gives at once. */
export const PAGE_ROWS = 100;

/** Where the pages of a list begin. Their rows are kept only as long as they are shown, however long the list is. */
export interface Listing {
  /** Differs each time the list is read again from its beginning. */
  readonly generation: number;
  /** The cursor of each page; the last one may not have been read yet. */
  readonly starts: readonly string[];
  /** How many rows each page has that has been read. */
  readonly counts: readonly number[];
  /** The first page. It has no cursor, so that it could not be read again as it was. */
  readonly first: readonly CaptureRow[];
}

export interface ReadPage {
  readonly rows: readonly CaptureRow[];
  readonly next: string | null;
}

export function listingOf({ rows, next }: ReadPage, generation: number): Listing {
  return { generation, starts: next === null ? [''] : ['', next], counts: [rows.length], first: rows };
}

export function withPage(listing: Listing, { rows, next }: ReadPage): Listing {
  return {
    ...listing,
    starts: next === null ? listing.starts : [...listing.starts, next],
    counts: [...listing.counts, rows.length],
  };
}

/** The number of rows that are known to be there. */
export function knownRows({ counts }: Listing): number {
  return (counts.length - 1) * PAGE_ROWS + (counts.at(-1) ?? 0);
}

export function isComplete({ starts, counts }: Listing): boolean {
  return starts.length === counts.length;
}

/** Rows by their index. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** The row with the focus, which may be far from the others. */
  readonly active: number;
}

/** The pages that have been read of those that these rows are in. */
export function pagesOf({ counts }: Listing, { from, to, active }: Span): number[] {
  const pageOf = (index: number) => Math.min(Math.floor(index / PAGE_ROWS), counts.length - 1);
  const first = pageOf(from);
  const shown = Array.from({ length: pageOf(to) - first + 1 }, (_, i) => first + i);
  return shown.includes(pageOf(active)) ? shown : [...shown, pageOf(active)];
}

/** The rows at their places with what has changed of them: a row that a filter no longer finds does not move the others. */
export function renewed(rows: readonly CaptureRow[], fresh: readonly CaptureRow[]): CaptureRow[] {
  const byId = new Map(fresh.map((row) => [row.id, row]));
  return rows.map((row) => byId.get(row.id) ?? row);
}

/** How many of the newest captures are not in the list. */
export function newRows({ first }: Listing, newest: readonly CaptureRow[]): number {
  const known = new Set(first.map(({ id }) => id));
  const since = first[0]?.createdAt ?? '';
  return newest.filter(({ id, createdAt }) => !known.has(id) && createdAt >= since).length;
}
