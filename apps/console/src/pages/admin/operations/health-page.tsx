import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import type { HealthHistory } from '@capture-service/client';
import { useState } from 'react';
import { EmptyState } from '../../../ui/empty-state.js';
import { duration, time } from '../../../ui/format.js';
import { PageHeader } from '../../../ui/page-header.js';
import { Panel } from '../../../ui/panel.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import classes from './health-page.module.css';
import { Loaded } from './loaded.js';
import { useHealthHistory } from './operation-queries.js';
import { downMs, segmentsOf, type Segment } from './segments.js';

const RANGES = [
  { value: '1', label: '24 hours' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
];

/** When each dependency stopped working, and when it worked again. */
export default function HealthPage() {
  const [days, setDays] = useState('7');
  return (
    <>
      <PageHeader
        title="Health"
        description="What the API found when it probed its dependencies, every 15 s. Changes are kept for 30 days."
      />
      <Stack gap="md">
        <Group>
          <SegmentedControl data={RANGES} value={days} onChange={setDays} aria-label="Period" />
        </Group>
        <Loaded query={useHealthHistory(Number(days))}>{(history) => <History history={history} />}</Loaded>
      </Stack>
    </>
  );
}

function History({ history }: { readonly history: HealthHistory }) {
  if (history.items.length === 0)
    return (
      <EmptyState title="Nothing is known yet">
        The API probes its dependencies for the first time.
      </EmptyState>
    );
  return history.items.map(({ dependency, status, changes }) => (
    <Panel key={dependency} title={LABELS[dependency] ?? dependency} aside={<StatusBadge status={status} />}>
      <Dependency segments={segmentsOf(changes, history)} history={history} />
    </Panel>
  ));
}

const LABELS: Readonly<Record<string, string>> = {
  database: 'Database',
  dns: 'Name servers',
  queue: 'Queue',
  secrets: 'Secrets',
  storage: 'Storage',
  workers: 'Workers',
};

interface DependencyProps {
  readonly segments: readonly Segment[];
  readonly history: HealthHistory;
}

function Dependency({ segments, history: { since, until } }: DependencyProps) {
  const outages = segments.filter(({ status }) => status === 'down').toReversed();
  const summary = summaryOf(segments);
  return (
    <Stack gap="xs">
      <div className={classes.track} role="img" aria-label={summary}>
        {segments.map((segment) => (
          <span
            key={segment.fromMs}
            className={classes.part}
            data-status={segment.status}
            style={placeOf(segment)}
          />
        ))}
      </div>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed" className="numeric">
          {time(since)}
        </Text>
        <Text size="xs" c="dimmed">
          now
        </Text>
      </Group>
      <Text>{summary}</Text>
      {outages.length > 0 && <Outages outages={outages} until={until} />}
    </Stack>
  );
}

/** What lasts until now is at the right edge, however short it is. */
function placeOf({ left, width }: Segment) {
  const isLast = left + width > 0.999;
  return { ...(isLast ? { right: 0 } : { left: `${left * 100}%` }), width: `${width * 100}%` };
}

function summaryOf(segments: readonly Segment[]): string {
  const times = segments.filter(({ status }) => status === 'down').length;
  const outages =
    times === 0
      ? 'It was not down.'
      : `It was down ${times === 1 ? 'once' : `${times} times`}, for ${duration(downMs(segments))}.`;
  const [first] = segments;
  if (first?.status !== 'unknown') return outages;
  return `${outages} Nothing is known before ${time(new Date(first.untilMs).toISOString())}.`;
}

/** The last outages in words; the bar shows all. */
const MAX_SHOWN = 10;

interface OutagesProps {
  readonly outages: readonly Segment[];
  readonly until: string;
}

function Outages({ outages, until }: OutagesProps) {
  const nowMs = Date.parse(until);
  return (
    <ul className={classes.outages}>
      {outages.slice(0, MAX_SHOWN).map(({ fromMs, untilMs, error }) => (
        <li key={fromMs} className="breaks numeric">
          {`${time(new Date(fromMs).toISOString())}: ${error ?? 'down'}, `}
          {untilMs === nowMs
            ? `for ${duration(untilMs - fromMs)} until now`
            : `for ${duration(untilMs - fromMs)}`}
        </li>
      ))}
    </ul>
  );
}
