import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { hasEnded, type BatchRecord } from '@capture-service/client';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/client.js';
import { CopyButton } from '../../ui/copy-button.js';
import { count } from '../../ui/format.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { TimeText } from '../../ui/time-text.js';
import { BatchActions } from './progress/batch-actions.js';
import { BatchFacts } from './progress/batch-facts.js';
import { RowSection } from './progress/row-section.js';
import { useBatch } from './progress/use-batch.js';
import { useShownBatch } from './progress/use-shown-batch.js';

export default function BatchPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data, error } = useBatch(id);
  if (data) return <BatchView key={id} batch={data} />;
  return (
    <>
      <PageHeader title="Batch" />
      {error ? <ProblemAlert error={error} title="The batch cannot be shown" /> : <BatchSkeleton />}
    </>
  );
}

function BatchView({ batch: latest }: { readonly batch: BatchRecord }) {
  const { shown: batch, onRenew } = useShownBatch(latest);
  const [failure, setFailure] = useState<unknown>(null);
  return (
    <>
      <PageHeader title="Batch" description={<Origin batch={batch} />}>
        <BatchActions batch={batch} onFailure={setFailure} />
      </PageHeader>
      <Stack gap="md">
        {failure !== null && (
          <ProblemAlert error={failure} title="The failed rows were not submitted again" />
        )}
        <BatchLinks batch={batch} />
        <BatchFacts batch={batch} />
        <RowSection batch={batch} onRenew={onRenew} />
      </Stack>
    </>
  );
}

function Origin({ batch }: { readonly batch: BatchRecord }) {
  return (
    <>
      created <TimeText iso={batch.created_at} /> · <code className="breaks">{batch.id}</code>{' '}
      <CopyButton value={batch.id} label="the id" />
    </>
  );
}

function BatchSkeleton() {
  return (
    <Stack gap="md" role="status" aria-label="Loading">
      <Skeleton height={134} />
      <Skeleton height={30} maw={560} />
      <Skeleton height={400} />
    </Stack>
  );
}

/** The batch that this one retries, and those that retry this one. */
function BatchLinks({ batch }: { readonly batch: BatchRecord }) {
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
