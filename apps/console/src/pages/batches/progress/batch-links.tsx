import { Alert, Text } from '@mantine/core';
import { hasEnded, type BatchRecord } from '@capture-service/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi } from '../../../api/client.js';
import { count } from '../../../ui/format.js';

/** The batch that this one retries, and those that retry this one. */
export function BatchLinks({ batch }: { readonly batch: BatchRecord }) {
  const retries = useRetries(batch);
  if (batch.retry_of === null && retries.length === 0) return null;
  return (
    <Alert color="gray" p="xs">
      {batch.retry_of !== null && (
        <Text>
          This batch retries the failed rows of{' '}
          <Link href={`/batches/${batch.retry_of}`}>an earlier batch</Link>, with their row numbers.
        </Text>
      )}
      {retries.map(({ id, counts, total }) => (
        <Text key={id}>
          The failed rows were <Link href={`/batches/${id}`}>retried in a later batch</Link>:{' '}
          {count(counts.succeeded)} of {count(total)} succeeded.
        </Text>
      ))}
    </Alert>
  );
}

/** A retry is looked for among so many batches that were created later. */
const MAX_SEEN = 500;

/** The batches that retry the failed rows of this one, newest first. */
function useRetries(batch: BatchRecord): readonly BatchRecord[] {
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
