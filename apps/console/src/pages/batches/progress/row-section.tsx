import { ActionIcon, Group, SegmentedControl, Stack, Text, Tooltip } from '@mantine/core';
import type { BatchRecord } from '@capture-service/client';
import { GridIcon, RowsIcon } from '@radix-ui/react-icons';
import { useSearchParams } from 'wouter';
import { capital, count } from '../../../ui/format.js';
import { ROW_STATUSES, type RowStatus } from '../batch-counts.js';
import classes from './batch.module.css';
import { RowList, type RowView } from './row-list.js';
import type { OnRenew } from './use-shown-batch.js';

const VIEWS = [
  { view: 'grid', label: 'As pictures', Icon: GridIcon },
  { view: 'list', label: 'As a list', Icon: RowsIcon },
] as const;

interface RowSectionProps {
  readonly batch: BatchRecord;
  readonly onRenew: OnRenew;
}

/** The rows of the batch, by status. The filter and the view are in the address. */
export function RowSection({ batch, onRenew }: RowSectionProps) {
  const [search, setSearch] = useSearchParams();
  const filter = filterOf(search.get('status'));
  const view: RowView = viewOf(search.get('view'), filter);
  const choose = (name: string, value: string): void =>
    setSearch((old) => new URLSearchParams([...searchWithout(old, name), [name, value]]), { replace: true });
  const { counts, total } = batch;
  const amount = filter === 'all' ? total : counts[filter];
  return (
    <Stack gap="sm" component="section" aria-label="Rows of the batch">
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <div className={classes.filters}>
          <SegmentedControl
            aria-label="Rows by status"
            value={filter}
            onChange={(value) => choose('status', value)}
            data={[
              { value: 'all', label: `All ${count(total)}` },
              ...ROW_STATUSES.map((value) => ({ value, label: `${capital(value)} ${count(counts[value])}` })),
            ]}
            className="numeric"
          />
        </div>
        <ViewChoice view={view} onView={(next) => choose('view', next)} />
      </Group>
      {amount === 0 ? (
        <Text c="dimmed" py="lg" ta="center">
          {filter === 'all' ? 'The batch has no rows.' : `No row is ${filter}.`}
        </Text>
      ) : (
        <RowList key={`${filter} ${view}`} batch={batch} filter={filter} view={view} onRenew={onRenew} />
      )}
    </Stack>
  );
}

interface ViewChoiceProps {
  readonly view: RowView;
  readonly onView: (view: RowView) => void;
}

function ViewChoice({ view, onView }: ViewChoiceProps) {
  return (
    <Group gap={2} wrap="nowrap">
      {VIEWS.map(({ view: each, label, Icon }) => (
        <Tooltip key={each} label={label}>
          <ActionIcon
            aria-label={label}
            aria-pressed={view === each}
            variant={view === each ? 'light' : 'subtle'}
            onClick={() => onView(each)}
          >
            <Icon />
          </ActionIcon>
        </Tooltip>
      ))}
    </Group>
  );
}

function filterOf(value: string | null): RowStatus | 'all' {
  return ROW_STATUSES.find((each) => each === value) ?? 'all';
}

/** Reasons of failures need more room than a picture has. */
function viewOf(value: string | null, filter: RowStatus | 'all'): RowView {
  if (value === 'grid' || value === 'list') return value;
  return filter === 'all' || filter === 'succeeded' ? 'grid' : 'list';
}

function searchWithout(search: URLSearchParams, name: string): [string, string][] {
  return [...search].filter(([each]) => each !== name);
}
