import { Button, Code, Group, Select, Skeleton, Stack, Title } from '@mantine/core';
import type { DeliveryItem } from '@capture-service/client';
import { useCallback } from 'react';
import { useSearchParams } from 'wouter';
import { SEARCH_FIELD } from '../../ui/search-field.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { DeliveryList } from './delivery-list.js';
import { useDeliveries, type ListFilters } from './webhook-queries.js';

const STATES: readonly DeliveryItem['state'][] = ['pending', 'delivered', 'failed', 'stopped'];
const TYPES: readonly DeliveryItem['type'][] = [
  'capture.succeeded',
  'capture.changed',
  'capture.failed',
  'capture.canceled',
  'batch.completed',
  'batch.canceled',
  'usage.threshold',
  'webhook.test',
];

const EXAMPLE = `POST /v1/jobs
{ "url": "https://example.com", "webhook_url": "https://example.com/hook" }`;

/** The deliveries of the account, with filters that are kept in the address of the page. */
export function DeliveriesSection() {
  const [search, setSearch] = useSearchParams();
  const state = STATES.find((each) => each === search.get('state'));
  const type = TYPES.find((each) => each === search.get('type'));
  const filters: ListFilters = { ...(state && { state }), ...(type && { type }) };
  const set = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === null) after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return (
    <Stack gap="sm" component="section" aria-label="Deliveries">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Title order={2}>Deliveries</Title>
        <FilterChoices filters={filters} onChoice={set} />
      </Group>
      <Deliveries filters={filters} onClear={() => setSearch({}, { replace: true })} />
    </Stack>
  );
}

interface FilterChoicesProps {
  readonly filters: ListFilters;
  readonly onChoice: (name: string, value: string | null) => void;
}

function FilterChoices({ filters, onChoice }: FilterChoicesProps) {
  return (
    <Group gap="xs">
      <Select
        {...SEARCH_FIELD}
        aria-label="State"
        placeholder="Any state"
        data={STATES}
        value={filters.state ?? null}
        onChange={(value) => onChoice('state', value)}
        clearable
        w="9rem"
      />
      <Select
        aria-label="Event"
        placeholder="Any event"
        data={TYPES}
        value={filters.type ?? null}
        onChange={(value) => onChoice('type', value)}
        clearable
        w="11rem"
      />
    </Group>
  );
}

interface DeliveriesProps {
  readonly filters: ListFilters;
  readonly onClear: () => void;
}

function Deliveries({ filters, onClear }: DeliveriesProps) {
  const { data, error, hasNextPage, fetchNextPage, isFetching, refetch } = useDeliveries(filters);
  const onEnd = useCallback(() => {
    if (!isFetching) void fetchNextPage();
  }, [isFetching, fetchNextPage]);
  if (!data && error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h="20rem" role="status" aria-label="Loading" />;
  const items = data.pages.flatMap((page) => page.items);
  if (items.length > 0) return <DeliveryList items={items} hasMore={hasNextPage} onEnd={onEnd} />;
  return Object.keys(filters).length > 0 ? <NoMatch onClear={onClear} /> : <NothingYet />;
}

function NoMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState title="No delivery matches" action={<Button onClick={onClear}>Show all deliveries</Button>}>
      Finished deliveries are kept for 30 days.
    </EmptyState>
  );
}

function NothingYet() {
  return (
    <EmptyState
      title="No webhook was sent yet"
      action={
        <Code block ta="left" className="breaks">
          {EXAMPLE}
        </Code>
      }
    >
      Set webhook_url in a job or a batch: your endpoint then receives a request when it has ended. To try an
      endpoint first, send it a test.
    </EmptyState>
  );
}
