import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { hasEnded, type CrawlRecord, type NewCrawl } from '@capture-service/client';
import { useApi } from '../../api/client.js';
import { isOver, type CrawlStatus } from './crawl-text.js';
import { NO_PAGES, PART_PAGES, readOn, type KnownPages } from './known-pages.js';

/** Each crawl of a page asks for its batch. */
const PAGE_ITEMS = 20;
const BROKEN_ITEMS = 50;
/** How often a crawl is read again while it is in progress, and the list of crawls otherwise. */
const BUSY_MS = 1_000;
const IDLE_MS = 15_000;
/** What is left of a long list is read at once. */
const AT_ONCE_MS = 1;

const listKey = (keyId: string) => ['crawls', keyId, 'list'];
const crawlKey = (keyId: string, id: string) => ['crawls', keyId, 'one', id];

/** The crawls of the account, newest first, page by page. */
export function useCrawls(status: CrawlStatus | undefined) {
  const { client, keyId } = useApi();
  return useInfiniteQuery({
    queryKey: [...listKey(keyId), status ?? null],
    queryFn: ({ pageParam, signal }) =>
      client.crawls.page(
        {
          limit: PAGE_ITEMS,
          ...(status !== undefined && { status }),
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: ({ state: { data } }) => {
      const isBusy = data?.pages.some(({ items }) => items.some((crawl) => !isOver(crawl)));
      return (isBusy ? 2 * BUSY_MS : IDLE_MS) * Math.max(1, data?.pages.length ?? 1);
    },
  });
}

/** The batch of a crawl in a list; nothing for a preview. */
export function useBatchOf({ batch_id: id }: CrawlRecord) {
  const { client } = useApi();
  const { data } = useQuery({
    queryKey: ['batches', id],
    enabled: id !== null,
    queryFn: ({ signal }) => client.bulk.get(id ?? '', { signal }),
    staleTime: ({ state }) => (state.data && hasEnded(state.data) ? Infinity : 0),
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data) ? false : 2 * BUSY_MS),
  });
  return data;
}

/** A crawl by its id, followed closely until it has ended. */
export function useCrawl(id: string) {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: crawlKey(keyId, id),
    queryFn: ({ signal }) => client.crawls.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : BUSY_MS),
  });
}

/** The pages of a crawl as far as they are known, which are read on until nothing changes any more. */
export function useCrawlPages(crawl: CrawlRecord) {
  const { client, keyId } = useApi();
  const queries = useQueryClient();
  const { id } = crawl;
  const key = ['crawls', keyId, 'pages', id];
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      readOn(queries.getQueryData<KnownPages>(key) ?? NO_PAGES, {
        isOver: isOver(crawl),
        read: (cursor) => client.crawls.pagesPage(id, { limit: PART_PAGES, cursor }, { signal }),
      }),
    // Comparing thousands of pages with those before would take longer than showing them.
    structuralSharing: false,
    staleTime: ({ state }) => (state.data?.isFinal ? Infinity : 0),
    refetchInterval: ({ state: { data } }) => {
      if (data?.isFinal) return false;
      return data?.isComplete === false ? AT_ONCE_MS : BUSY_MS;
    },
  });
}

/** The broken links of a crawl, page by page. @param known how many are known: with another one they are read again */
export function useBroken(id: string, known: number) {
  const { client, keyId } = useApi();
  return useInfiniteQuery({
    queryKey: ['crawls', keyId, 'broken', id, known],
    enabled: known > 0,
    queryFn: ({ pageParam, signal }) =>
      client.crawls.brokenPage(
        id,
        { limit: BROKEN_ITEMS, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
}

/** The addresses and secrets of the request are forgotten as soon as no page shows them. */
export function useCreation() {
  const { client } = useApi();
  const note = useNoteCrawl();
  return useMutation({
    mutationFn: (crawl: NewCrawl) => client.crawls.create(crawl),
    onSuccess: note,
    gcTime: 0,
  });
}

export function useCancellation(id: string) {
  const { client } = useApi();
  const note = useNoteCrawl();
  return useMutation({ mutationFn: () => client.crawls.cancel(id), onSuccess: note });
}

function useNoteCrawl(): (crawl: CrawlRecord) => void {
  const { keyId } = useApi();
  const queries = useQueryClient();
  return (crawl) => {
    queries.setQueryData(crawlKey(keyId, crawl.id), crawl);
    void queries.invalidateQueries({ queryKey: listKey(keyId) });
  };
}
