import { Button, Select, Skeleton, Stack } from '@mantine/core';
import { hasEnded, type BatchRecord } from '@capture-service/client';
import { PlusIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { useApi } from '../../api/client.js';
import { EmptyState } from '../../ui/empty-state.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { BatchTable } from './batch-table.js';

const STATUSES = ['queued', 'running', 'completed', 'canceled'] as const;
type Status = (typeof STATUSES)[number];

const PAGE_BATCHES = 50;
/** How often the list is read again while a batch runs, and otherwise; for each page that is loaded. */
const BUSY_MS = 2_000;
const IDLE_MS = 15_000;

export default function BatchesPage() {
  const [search, setSearch] = useSearchParams();
  const status = STATUSES.find((each) => each === search.get('status'));
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useBatches(status);
  const batches = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <PageHeader title="Batches" description="Many captures in one request, with their progress.">
        <Select
          aria-label="Status"
          placeholder="Any status"
          data={STATUSES}
          value={status ?? null}
          onChange={(value) => setSearch(value === null ? {} : { status: value }, { replace: true })}
          clearable
          w={140}
        />
        <NewBatch />
      </PageHeader>
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!error && !batches && <ListSkeleton />}
      {batches?.length === 0 && <NoBatches status={status} />}
      {batches && batches.length > 0 && <BatchTable batches={batches} />}
      {hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
          Show older batches
        </Button>
      )}
    </>
  );
}

function useBatches(status: Status | undefined) {
  const { client } = useApi();
  return useInfiniteQuery({
    queryKey: ['batches', 'list', status ?? null],
    queryFn: ({ pageParam, signal }) =>
      client.bulk.page(
        {
          limit: PAGE_BATCHES,
          ...(status !== undefined && { status }),
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    refetchInterval: ({ state: { data } }) => {
      const isBusy = data?.pages.some(({ items }) => items.some((batch: BatchRecord) => !hasEnded(batch)));
      return (isBusy ? BUSY_MS : IDLE_MS) * Math.max(1, data?.pages.length ?? 1);
    },
  });
}

function NewBatch() {
  return (
    <Button component={Link} href="/batches/new" leftSection={<PlusIcon />}>
      New batch
    </Button>
  );
}

function NoBatches({ status }: { readonly status: Status | undefined }) {
  if (status !== undefined) {
    return <EmptyState title={`No batch is ${status}`}>Choose another status to see the others.</EmptyState>;
  }
  return (
    <EmptyState title="No batches yet" action={<NewBatch />}>
      Drop a CSV or paste a list of URLs. The service checks every row before anything is stored, and captures
      them while you watch.
    </EmptyState>
  );
}

function ListSkeleton() {
  return (
    <Stack gap={8} role="status" aria-label="Loading">
      {Array.from({ length: 6 }, (_, i) => (
        <Skeleton key={i} height={40} />
      ))}
    </Stack>
  );
}
