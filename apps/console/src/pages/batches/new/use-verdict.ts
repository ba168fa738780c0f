import type { BatchVerdict } from '@capture-service/client';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';
import { contentKey, csvOf, settingsOf, type Draft } from './use-draft.js';

/** Fields are checked when nobody has typed for this time. */
const PAUSE_MS = 350;

export interface VerdictState {
  /** It is of the same source, but maybe of earlier settings while `isChecking`. */
  readonly verdict: BatchVerdict | undefined;
  /** Why the batch would be refused as a whole. */
  readonly error: unknown;
  readonly isChecking: boolean;
}

/** What the API would do with the batch, checked after each change. Nothing is stored. */
export function useVerdict(draft: Draft): VerdictState {
  const { client } = useApi();
  const current = contentKey(draft);
  const [content] = useDebouncedValue(current, PAUSE_MS);
  const { source } = draft;
  const query = useQuery<BatchVerdict>({
    queryKey: ['batches', 'verdict', source?.id, content],
    enabled: source !== null && content === current,
    queryFn: ({ signal }) =>
      source?.kind === 'rows'
        ? client.bulk.dryRunRows(source.items, settingsOf(draft), { signal })
        : client.bulk.dryRunCsv(csvOf(draft), settingsOf(draft), { signal }),
    // The allowance may have changed when the page is looked at again.
    staleTime: 30_000,
    gcTime: 60_000,
    placeholderData: (previous, old) =>
      old?.queryKey[2] === source?.id ? keepPreviousData(previous) : undefined,
  });
  const isChecking = source !== null && (content !== current || query.isFetching);
  return { verdict: query.data, error: isChecking ? null : query.error, isChecking };
}
