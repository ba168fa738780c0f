import type { BatchRecord, CaptureList } from '@capture-service/client';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useApi } from '../../../api/client.js';
import type { RowStatus } from '../batch-counts.js';
import { joinPages, PAGE_ROWS, stalePages } from './row-pages.js';

/** Rows in view are read again at most this often. */
const RENEWED_MS = 2_000;

export interface RowsInView {
  readonly first: number;
  readonly last: number;
}

/** The rows of a batch of one status, or all, loaded as far as they are looked at. Those in view follow the batch. */
export function useRows(batch: BatchRecord, filter: RowStatus | 'all', view: RowsInView) {
  const { client } = useApi();
  const queries = useQueryClient();
  const key = (cursor: string | undefined) => ['batches', batch.id, 'rows', filter, cursor ?? null];
  const pageAt = (cursor: string | undefined): CaptureList | undefined => queries.getQueryData(key(cursor));
  const known = joinPages(pageAt);
  const wanted = known.cursors.slice(0, Math.floor(view.last / PAGE_ROWS) + 1);
  const { error } = useQueries({
    queries: wanted.map((cursor) => ({
      queryKey: key(cursor),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.bulk.resultsPage(
          batch.id,
          {
            limit: PAGE_ROWS,
            ...(filter !== 'all' && { status: filter }),
            ...(cursor !== undefined && { cursor }),
          },
          { signal },
        ),
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
  useRenewal(batch, (): void => {
    for (const page of stalePages(known, { ...view, filter })) {
      void queries.invalidateQueries({ queryKey: key(known.cursors[page]), exact: true });
    }
  });
  return { pages: known, error };
}

/** Calls `renew` when the counts have changed, but not more often than rows can be read. */
function useRenewal({ counts }: BatchRecord, renew: () => void): void {
  const state = Object.values(counts).join(' ');
  const latest = useRef({ state, renew });
  useEffect(() => {
    latest.current = { state, renew };
  });
  useEffect(() => {
    let seen = latest.current.state;
    const timer = setInterval(() => {
      if (seen === latest.current.state) return;
      seen = latest.current.state;
      latest.current.renew();
    }, RENEWED_MS);
    return () => clearInterval(timer);
  }, []);
}
