import { useInfiniteQuery } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';
import { requestOf, type Filters } from './audit-filters.js';

const PAGE_ITEMS = 50;
const RENEWED_MS = 10_000;

/** The changes that the filters find, the latest first, page by page. */
export function useAudit(filters: Filters) {
  const { client, keyId } = useApi();
  return useInfiniteQuery({
    queryKey: ['admin', keyId, 'audit', filters],
    queryFn: ({ pageParam, signal }) =>
      client.admin.auditPage(
        { ...requestOf(filters), limit: PAGE_ITEMS, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => RENEWED_MS * Math.max(1, state.data?.pages.length ?? 1),
  });
}
