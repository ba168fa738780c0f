import { Button, Group, Select, Skeleton, Slider, Stack, Text } from '@mantine/core';
import type { MonitorCheck, MonitorRecord } from '@capture-service/client';
import { useState } from 'react';
import { time } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { CheckStrip } from './check-strip.js';
import { outcomeText, pagesOf } from './check-text.js';
import { CheckView } from './check-view.js';
import { useChecks } from './monitor-queries.js';

/** The checks of a monitor, through which a person scrubs, and the chosen one. */
export function Timeline({ monitor }: { readonly monitor: MonitorRecord }) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useChecks(monitor);
  const [page, setPage] = useState('1');
  const pages = pagesOf(monitor);
  const checks = data?.pages
    .flatMap(({ items }) => items)
    .filter((check) => check.page === Number(page))
    .toReversed();
  return (
    <Panel
      title="Checks"
      aside={
        hasNextPage && (
          <Button variant="default" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
            Load older checks
          </Button>
        )
      }
    >
      {pages.length > 1 && (
        <Select
          label="Page"
          mb="sm"
          allowDeselect={false}
          data={pages.map(({ number, url }) => ({ value: String(number), label: `${number}. ${url}` }))}
          value={page}
          onChange={(value) => setPage(value ?? '1')}
        />
      )}
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!checks && !error && <Skeleton h="12rem" role="status" aria-label="Loading the checks" />}
      {checks?.length === 0 && <Text>Not checked yet.</Text>}
      {checks && checks.length > 0 && <Scrubber key={page} monitor={monitor} checks={checks} />}
    </Panel>
  );
}

interface ScrubberProps {
  readonly monitor: MonitorRecord;
  /** Oldest first. */
  readonly checks: readonly MonitorCheck[];
}

/** Follows the latest check until a person chooses another one. */
function Scrubber({ monitor, checks }: ScrubberProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const found = checks.findIndex(({ id }) => id === chosen);
  const at = found === -1 ? checks.length - 1 : found;
  const check = checks[at];
  if (!check) return null;
  const choose = (index: number) => setChosen(checks[index]?.id ?? null);
  const earlier = checks.findLastIndex(({ outcome }, i) => i < at && outcome === 'changed');
  const later = checks.findIndex(({ outcome }, i) => i > at && outcome === 'changed');
  return (
    <Stack gap="sm">
      <CheckStrip monitor={monitor} checks={checks} />
      <Slider
        min={0}
        max={Math.max(1, checks.length - 1)}
        value={at}
        onChange={choose}
        disabled={checks.length === 1}
        label={(index) => (checks[index] ? time(checks[index].due_at) : null)}
        thumbLabel={`Check ${at + 1} of ${checks.length}: ${outcomeText(check)}, ${time(check.due_at)}`}
      />
      <Group gap="xs">
        <Button variant="default" disabled={earlier === -1} onClick={() => choose(earlier)}>
          Earlier change
        </Button>
        <Button variant="default" disabled={later === -1} onClick={() => choose(later)}>
          Later change
        </Button>
        <Text c="dimmed" className="numeric">
          {at + 1} of {checks.length}
        </Text>
      </Group>
      <CheckView key={check.id} check={check} monitor={monitor} />
    </Stack>
  );
}
