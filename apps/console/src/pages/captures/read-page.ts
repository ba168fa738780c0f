import type { CaptureClient } from '@capture-service/client';
import { rowOf, type CaptureRow } from '../../capture-record/capture-row.js';
import { forApi, type Filters } from './filters.js';
import { PAGE_ROWS, type ReadPage } from './listing.js';

/** The others wait for the next time. */
const READ_SINGLY = 10;

interface Page {
  readonly filters: Filters;
  /** Without one, or with an empty one, the newest captures are read. */
  readonly cursor?: string | undefined;
  readonly limit?: number;
  /** Whether to go on until so many captures are found: a page of a search may have fewer, and others behind it. */
  readonly isFilled?: boolean;
  readonly signal: AbortSignal;
}

export async function readPage(
  client: CaptureClient,
  { filters, cursor = '', limit = PAGE_ROWS, isFilled = true, signal }: Page,
): Promise<ReadPage> {
  const rows: CaptureRow[] = [];
  let next: string | null = cursor;
  do {
    const query = { ...forApi(filters), limit: limit - rows.length, ...(next !== '' && { cursor: next }) };
    const page = await client.captures.page(query, { signal });
    rows.push(...page.items.map(rowOf));
    next = page.next_cursor;
  } while (isFilled && next !== null && rows.length < limit);
  return { rows, next };
}

/** Reads captures one by one which the filters no longer find, such as those that are no longer queued. */
export async function readUnfound(
  client: CaptureClient,
  rows: readonly CaptureRow[],
  signal: AbortSignal,
): Promise<CaptureRow[]> {
  const read = rows.slice(0, READ_SINGLY).map(async (row) => {
    try {
      return rowOf(await client.captures.get(row.id, { signal }));
    } catch {
      // It may have been deleted; it stays as it was last seen.
      return row;
    }
  });
  return Promise.all(read);
}
