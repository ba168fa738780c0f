import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';
import { queryOf, type DayRange } from '../../usage/range.js';

const PAGE_ITEMS = 20;
const RENEWED_MS = 30_000;

/** The usage of all accounts in a range of days, the newest account first, page by page. */
export function useUsageOfAccounts(range: DayRange) {
  const { client, keyId } = useApi();
  const days = queryOf(range);
  return useInfiniteQuery({
    queryKey: ['admin', keyId, 'usage', days],
    queryFn: ({ pageParam, signal }) =>
      client.admin.usagePage(
        { ...days, limit: PAGE_ITEMS, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => RENEWED_MS * Math.max(1, state.data?.pages.length ?? 1),
    placeholderData: keepPreviousData,
  });
}

/** The usage of one account in a range of days; null when there is no such account. */
export function useUsageOfAccount(id: string, range: DayRange) {
  const { client, keyId } = useApi();
  const filters = { account_id: id, ...queryOf(range) };
  return useQuery({
    queryKey: ['admin', keyId, 'usage', filters],
    queryFn: async ({ signal }) => (await client.admin.usagePage(filters, { signal })).items[0] ?? null,
    refetchInterval: RENEWED_MS,
    placeholderData: keepPreviousData,
  });
}
