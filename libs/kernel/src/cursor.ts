import { isId } from './ids.js';

/** A position in a list of an account, newest first: the next page begins after this row. */
export interface Cursor {
  readonly createdAtMs: number;
  readonly id: string;
}

const SHAPE = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** A page of a list, and the cursor of the next one; null on the last page. */
export interface ListPage<Row> {
  readonly items: Row[];
  readonly nextCursor: string | null;
}

/**
 * The page that rows begin, of which one more than `limit` was read: that one shows whether there is a next page.
 *
 * @param timeOf the time by which the list is ordered, before the id
 */
export function pageOfRows<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
  timeOf: (row: Row) => Date,
): ListPage<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? cursorAfter(last.id, timeOf(last)) : null };
}

/** The cursor of the page that begins after a row. */
export function cursorAfter(id: string, time: Date): string {
  return encodeCursor({ createdAtMs: time.getTime(), id });
}

/** Cursors are opaque to callers, so that their content may change. */
export function encodeCursor({ createdAtMs, id }: Cursor): string {
  return Buffer.from(`${createdAtMs}.${id}`).toString('base64url');
}

/** Returns undefined for a text that `encodeCursor` did not make. */
export function decodeCursor(text: string): Cursor | undefined {
  const [, ms, id] = SHAPE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (ms === undefined || id === undefined || !isId(id)) return undefined;
  const cursor = { createdAtMs: Number(ms), id };
  return encodeCursor(cursor) === text ? cursor : undefined;
}
