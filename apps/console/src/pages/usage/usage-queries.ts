import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/client.js';
import { queryOf, type DayRange } from './range.js';

const NOW_MS = 3_000;
const DAYS_MS = 10_000;

/** What the account has used of its allowance, and its captures in progress, as of now. */
export function useUsage() {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: ['usage', keyId],
    queryFn: ({ signal }) => client.usage({ signal }),
    refetchInterval: NOW_MS,
  });
}

export function useUsageByDay(range: DayRange) {
  const { client, keyId } = useApi();
  const query = queryOf(range);
  return useQuery({
    queryKey: ['usage', keyId, 'days', query],
    queryFn: ({ signal }) => client.usageByDay(query, { signal }),
    refetchInterval: DAYS_MS,
    placeholderData: keepPreviousData,
  });
}

/** Durations and sizes of the same range; without an end after now, which statistics do not have. */
export function useDurations(range: DayRange, today: string) {
  const { client, keyId } = useApi();
  const { from, to } = queryOf(range);
  const query = { from: `${from}T00:00:00Z`, ...(range.last < today && { to: `${to}T00:00:00Z` }) };
  return useQuery({
    queryKey: ['usage', keyId, 'stats', query],
    queryFn: ({ signal }) => client.captures.stats(query, { signal }),
    refetchInterval: DAYS_MS,
    placeholderData: keepPreviousData,
  });
}
