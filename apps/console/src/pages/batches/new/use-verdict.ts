import type { BatchVerdict } from '@capture-service/client';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';
import { contentKey, csvOf, settingsOf, type Draft, type OnInvalid } from './use-draft.js';

/** Fields are checked when nobody has typed for this time. */
const PAUSE_MS = 350;

export interface VerdictState {
  /** It is of the same source, but maybe of earlier settings while `isChecking`. */
  readonly verdict: BatchVerdict | undefined;
  /** Why the batch would be refused as a whole. */
  readonly error: unknown;
  readonly isChecking: boolean;
}

/** What the API is asked for. Thousands of rows are not sent again for the other choice, for which its answer is enough. */
const CHECKED: OnInvalid = 'reject';

/** What the API would do with the batch, checked after each change. Nothing is stored. */
export function useVerdict(draft: Draft): VerdictState {
  const { client } = useApi();
  const current = contentKey({ ...draft, onInvalid: CHECKED });
  const [content] = useDebouncedValue(current, PAUSE_MS);
  const { source } = draft;
  const query = useQuery<BatchVerdict>({
    queryKey: ['batches', 'verdict', source?.id, content],
    enabled: source !== null && content === current,
    queryFn: ({ signal }) =>
      source?.kind === 'rows'
        ? client.bulk.dryRunRows(source.items, settingsOf({ ...draft, onInvalid: CHECKED }), { signal })
        : client.bulk.dryRunCsv(csvOf(draft), settingsOf({ ...draft, onInvalid: CHECKED }), { signal }),
    // The allowance may have changed when the page is looked at again.
    staleTime: 30_000,
    gcTime: 60_000,
    placeholderData: (previous, old) =>
      old?.queryKey[2] === source?.id ? keepPreviousData(previous) : undefined,
  });
  const isChecking = source !== null && (content !== current || query.isFetching);
  const verdict = query.data && verdictFor(draft.onInvalid, query.data);
  return { verdict, error: isChecking ? null : query.error, isChecking };
}

/** What the API says about a batch, for the choice of what to do with rows that are not valid. */
export function verdictFor(onInvalid: OnInvalid, verdict: BatchVerdict): BatchVerdict {
  const { rejected, allowance } = verdict;
  const isAccepted = (rejected === 0 || onInvalid === 'skip') && allowance.needed <= allowance.available;
  return { ...verdict, would_accept: isAccepted };
}
