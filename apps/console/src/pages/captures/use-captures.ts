import { hasEnded, type CaptureClient } from '@capture-service/client';
import { useQueries, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useApi } from '../../api/client.js';
import { rowOf, type CaptureRow } from '../../capture-record/capture-row.js';
import { forApi, type Filters } from './filters.js';
import {
  isComplete,
  knownRows,
  listingOf,
  newRows,
  PAGE_ROWS,
  pagesOf,
  renewed,
  withPage,
  type Listing,
  type ReadPage,
  type Span,
} from './listing.js';

const LIVE_MS = 3_000;
/** The newest captures that are looked for; of more it is only said that there are more. */
export const NEWEST_ROWS = 20;
/** The next page is read this many rows before it is needed. */
const AHEAD_ROWS = 150;
/** How long the rows of a page are kept that is no longer shown, and the places of the pages. */
const ROWS_KEPT_MS = 30_000;
const LISTING_KEPT_MS = 1_800_000;

const keyOf = (filters: Filters): string => JSON.stringify(filters);
const listingKey = (filters: Filters) => ['captures', 'listing', keyOf(filters)];
const ALL_ROWS = ['captures', 'rows'];
const rowsKey = (filters: Filters, { generation }: Listing, page: number) => [
  ...ALL_ROWS,
  ...[keyOf(filters), generation, page],
];

/** The places of the pages of all captures that the filters find. `refetch` reads the list again from its beginning. */
export function useListing(filters: Filters) {
  const { client } = useApi();
  return useQuery({
    queryKey: listingKey(filters),
    queryFn: async ({ signal }) => listingOf(await readPage(client, { filters, signal }), Date.now()),
    staleTime: Infinity,
    gcTime: LISTING_KEPT_MS,
  });
}

/** Reads the next page when the end of the list comes near. */
export function useNextPage(filters: Filters, listing: Listing | undefined, { to }: Span) {
  const { client } = useApi();
  const queries = useQueryClient();
  const page = listing?.counts.length ?? 0;
  const isWanted = listing !== undefined && !isComplete(listing) && to >= knownRows(listing) - AHEAD_ROWS;
  return useQuery({
    queryKey: ['captures', 'next', keyOf(filters), listing?.generation, page],
    queryFn: async ({ signal }) => {
      if (!listing) return null;
      const read = await readPage(client, { filters, cursor: listing.starts[page], signal });
      // Data that nothing has shown yet would be kept for longer than the rest.
      queries.setQueryDefaults(ALL_ROWS, { gcTime: ROWS_KEPT_MS });
      queries.setQueryData(rowsKey(filters, listing, page), read.rows);
      queries.setQueryData<Listing>(listingKey(filters), (now) =>
        now?.generation === listing.generation && now.counts.length === page ? withPage(now, read) : now,
      );
      return null;
    },
    enabled: isWanted,
    gcTime: 0,
  });
}

/** The rows of the pages that are shown, by their index; undefined while they load. Unfinished captures are followed. */
export function useRows(filters: Filters, listing: Listing | undefined, span: Span) {
  const { client } = useApi();
  const queries = useQueryClient();
  const pages = listing ? pagesOf(listing, span) : [];
  const loaded = useQueries({
    queries: pages.map((page) => ({
      queryKey: listing ? rowsKey(filters, listing, page) : [],
      queryFn: async ({ signal, queryKey }: { signal: AbortSignal; queryKey: readonly unknown[] }) => {
        const shown = queries.getQueryData<CaptureRow[]>(queryKey);
        // A search for more than is shown would read the whole history each time.
        const limit = shown ? Math.max(1, shown.length) : PAGE_ROWS;
        const { rows } = await readPage(client, { filters, cursor: listing?.starts[page], limit, signal });
        return shown ? await followed(client, { shown, fresh: rows, signal }) : [...rows];
      },
      ...(page === 0 && { initialData: listing?.first as CaptureRow[] | undefined }),
      staleTime: Infinity,
      gcTime: ROWS_KEPT_MS,
      refetchInterval: ({ state: { data } }: { state: { data: CaptureRow[] | undefined } }) =>
        data?.some((row) => !hasEnded(row)) === true ? LIVE_MS : (false as const),
    })),
  });
  return (index: number): CaptureRow | undefined =>
    loaded[pages.indexOf(Math.floor(index / PAGE_ROWS))]?.data?.[index % PAGE_ROWS];
}

/** How many captures have been added since the list was read, at most NEWEST_ROWS. */
export function useNewCaptures(filters: Filters, listing: Listing | undefined): number {
  const { client } = useApi();
  const { data } = useQuery({
    queryKey: ['captures', 'newest', keyOf(filters)],
    queryFn: async ({ signal }) =>
      (await readPage(client, { filters, limit: NEWEST_ROWS, isFilled: false, signal })).rows,
    enabled: listing !== undefined,
    refetchInterval: LIVE_MS,
    gcTime: 0,
  });
  return listing && data ? newRows(listing, data) : 0;
}

/** Shows a changed capture in all lists that contain it; without `row` the record is gone. */
export function showChange(queries: QueryClient, id: string, row?: CaptureRow): void {
  const change = (rows: readonly CaptureRow[]): CaptureRow[] =>
    rows.map((each) => (each.id === id ? (row ?? { ...each, ...GONE }) : each));
  queries.setQueriesData<CaptureRow[]>({ queryKey: ALL_ROWS }, (rows) => rows && change(rows));
  queries.setQueriesData<Listing>(
    { queryKey: ['captures', 'listing'] },
    (listing) => listing && { ...listing, first: change(listing.first) },
  );
}

const GONE = { title: null, url: null, reference: null, kept: 'deleted', hasPicture: false } as const;

interface Followed {
  readonly shown: readonly CaptureRow[];
  readonly fresh: readonly CaptureRow[];
  readonly signal: AbortSignal;
}

async function followed(client: CaptureClient, { shown, fresh, signal }: Followed): Promise<CaptureRow[]> {
  const found = new Set(fresh.map(({ id }) => id));
  const unfound = shown.filter((row) => !hasEnded(row) && !found.has(row.id));
  return renewed(shown, [...fresh, ...(await readUnfound(client, unfound, signal))]);
}

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

async function readPage(
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
async function readUnfound(
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
