import type { CaptureRecord } from '@capture-service/client';
import { Button, Skeleton } from '@mantine/core';
import { Link, useLocation, useSearchParams } from 'wouter';
import { EmptyState } from '../../ui/empty-state.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useRecord } from './capture-detail-page.js';
import { comparePath } from './compare-bar.js';
import { Comparison } from './compare/comparison.js';

/** Two captures beside each other. */
export default function ComparePage() {
  const [query] = useSearchParams();
  const [, navigate] = useLocation();
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? ''];
  return (
    <>
      <PageHeader title="Compare two captures">
        {a !== '' && b !== '' && (
          <Button variant="default" onClick={() => navigate(comparePath(b, a), { replace: true })}>
            Swap
          </Button>
        )}
      </PageHeader>
      {a === '' || b === '' ? <Unchosen /> : <Both a={a} b={b} />}
    </>
  );
}

function Both({ a, b }: { readonly a: string; readonly b: string }) {
  const [first, second] = [useRecord(a), useRecord(b)];
  const failed = [first, second].find(({ error, data }) => error && !data);
  if (failed)
    return (
      <ProblemAlert
        error={failed.error}
        title={`The capture ${failed === first ? a : b} cannot be loaded`}
        onRetry={() => void failed.refetch()}
      />
    );
  if (!first.data || !second.data)
    return <Skeleton h={480} role="status" aria-label="Loading the captures" />;
  return <Comparison key={`${a} ${b}`} records={inOrder(first.data, second.data)} />;
}

const inOrder = (a: CaptureRecord, b: CaptureRecord) => [a, b] as const;

function Unchosen() {
  return (
    <EmptyState
      title="Choose two captures"
      action={
        <Button component={Link} href="/captures">
          Go to the captures
        </Button>
      }
    >
      Select two captures in the list, with their checkboxes or with the key c.
    </EmptyState>
  );
}
