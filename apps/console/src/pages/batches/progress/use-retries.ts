import { hasEnded, type BatchRecord } from '@capture-service/client';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';

/** A retry is looked for among so many batches that were created later. */
const MAX_SEEN = 500;

/** The batches that retry the failed rows of this one, newest first. */
export function useRetries(batch: BatchRecord): readonly BatchRecord[] {
  const { client } = useApi();
  const { data } = useQuery({
    queryKey: ['batches', batch.id, 'retries'],
    enabled: hasEnded(batch) && batch.counts.failed > 0,
    queryFn: async ({ signal }) => {
      const retries: BatchRecord[] = [];
      let seen = 0;
      const later = client.bulk.list({ created_after: batch.created_at }, { signal });
      for await (const each of later) {
        if (each.retry_of === batch.id) retries.push(each);
        if (++seen === MAX_SEEN) break;
      }
      return retries;
    },
  });
  return data ?? [];
}
