import { Alert, Text } from '@mantine/core';
import type { BatchRecord } from '@capture-service/client';
import { Link } from 'wouter';
import { count } from '../../../ui/format.js';
import { useRetries } from './use-retries.js';

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
