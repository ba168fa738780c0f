import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { MonitorRecord } from '@capture-service/client';
import { PlusIcon } from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { EmptyState } from '../../ui/empty-state.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TimeText } from '../../ui/time-text.js';
import { LatestStrip } from './check-strip.js';
import { checkText, outcomeText, scheduleText } from './check-text.js';
import { useMonitors } from './monitor-queries.js';
import classes from './monitors.module.css';

/** The monitors of the account, each with its last checks, and a way to a new one. */
export default function MonitorsPage() {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useMonitors();
  const monitors = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <PageHeader title="Monitors" description="Watch pages on a schedule, and hear when they change.">
        <NewMonitorButton />
      </PageHeader>
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!error && !monitors && <Skeleton h="12rem" role="status" aria-label="Loading" />}
      {monitors?.length === 0 && <NoMonitors />}
      {monitors && monitors.length > 0 && (
        <Stack component="ul" gap="sm" className={classes.list}>
          {monitors.map((monitor) => (
            <MonitorItem key={monitor.id} monitor={monitor} />
          ))}
        </Stack>
      )}
      {hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
          Show older monitors
        </Button>
      )}
    </>
  );
}

function NewMonitorButton() {
  return (
    <Button component={Link} href="/monitors/new" leftSection={<PlusIcon />}>
      New monitor
    </Button>
  );
}

function NoMonitors() {
  return (
    <EmptyState title="No monitors yet" action={<NewMonitorButton />}>
      A monitor captures a page again and again, compares it with how it was, and tells you what changed.
    </EmptyState>
  );
}

function MonitorItem({ monitor }: { readonly monitor: MonitorRecord }) {
  const { id, name, state, next_run_at: next } = monitor;
  return (
    <li className={classes.item}>
      <Group justify="space-between" gap="xs">
        <Link href={`/monitors/${id}`} className={`${classes.link} breaks`}>
          {name}
        </Link>
        <StatusBadge status={state} />
      </Group>
      <Text c="dimmed" size="sm" className="breaks">
        {scheduleText(monitor)}
        {next !== null && (
          <>
            , next <TimeText iso={next} />
          </>
        )}
      </Text>
      <LatestStrip monitor={monitor} />
      <LastCheck monitor={monitor} />
    </li>
  );
}

function LastCheck({ monitor: { last_check: check } }: { readonly monitor: MonitorRecord }) {
  if (!check) return <Text size="sm">Not checked yet.</Text>;
  const found = checkText(check);
  return (
    <Text size="sm" className="breaks">
      {outcomeText(check)} <TimeText iso={check.due_at} />
      {found !== '' && `: ${found}`}
    </Text>
  );
}
