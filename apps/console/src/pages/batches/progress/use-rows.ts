import type { CaptureList } from '@capture-service/client';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi } from '../../../api/client.js';
import type { RowStatus } from '../batch-counts.js';
import { joinPages, PAGE_ROWS, stalePages } from './row-pages.js';
import type { OnRenew } from './use-shown-batch.js';

interface RowsInView {
  readonly batchId: string;
  readonly filter: RowStatus | 'all';
  readonly first: number;
  readonly last: number;
  readonly onRenew: OnRenew;
}

/** The rows of a batch of one status, or all, loaded as far as they are looked at. `onRenew` takes what reads those in view again. */
export function useRows({ batchId, filter, onRenew, ...view }: RowsInView) {
  const { client } = useApi();
  const queries = useQueryClient();
  const key = (cursor: string | undefined) => ['batches', batchId, 'rows', filter, cursor ?? null];
  const pageAt = (cursor: string | undefined): CaptureList | undefined => queries.getQueryData(key(cursor));
  const known = joinPages(pageAt);
  const wanted = known.cursors.slice(0, Math.floor(view.last / PAGE_ROWS) + 1);
  const { error } = useQueries({
    queries: wanted.map((cursor) => ({
      queryKey: key(cursor),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.bulk.resultsPage(batchId, pageQuery(filter, cursor), { signal }),
      // They may have changed since they were last looked at. All pages at once would be too much, however.
      staleTime: 0,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    })),
    // The component is drawn again when this differs.
    combine: (results) => ({
      error: results.find((each) => each.error)?.error ?? null,
      version: results.reduce((sum, { dataUpdatedAt }) => sum + dataUpdatedAt, 0),
    }),
  });
  useEffect(() => {
    onRenew(() =>
      Promise.all(
        stalePages(known, { ...view, filter }).map((page) =>
          queries.invalidateQueries({ queryKey: key(known.cursors[page]), exact: true }),
        ),
      ),
    );
    return () => onRenew(null);
  });
  return { pages: known, error };
}

function pageQuery(filter: RowStatus | 'all', cursor: string | undefined) {
  return {
    limit: PAGE_ROWS,
    ...(filter !== 'all' && { status: filter }),
    ...(cursor !== undefined && { cursor }),
  };
}
