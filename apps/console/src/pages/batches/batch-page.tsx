import { Skeleton, Stack } from '@mantine/core';
import type { BatchRecord } from '@capture-service/client';
import { useState } from 'react';
import { useParams } from 'wouter';
import { CopyButton } from '../../ui/copy-button.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { TimeText } from '../../ui/time-text.js';
import { BatchActions } from './progress/batch-actions.js';
import { BatchFacts } from './progress/batch-facts.js';
import { BatchLinks } from './progress/batch-links.js';
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
