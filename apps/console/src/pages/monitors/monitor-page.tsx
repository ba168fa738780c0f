import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { MonitorRecord } from '@capture-service/client';
import { Link, useLocation, useParams } from 'wouter';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { Facts } from '../../ui/facts.js';
import { BackLink } from '../../ui/back-link.js';
import { PageHeader } from '../../ui/page-header.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TimeText } from '../../ui/time-text.js';
import { pagesOf, scheduleText } from './check-text.js';
import { useAction, useDeletion, useMonitor } from './monitor-queries.js';
import { NextRuns } from './next-runs.js';
import { Timeline } from './timeline.js';

const PAUSES: Readonly<Record<string, string>> = {
  request: 'It was paused on request.',
  failures: 'Its checks failed too many times in a row.',
  allowance: 'The allowance was at its end.',
};

/** One monitor: what its checks found over time, and when it checks next. */
export default function MonitorPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data, error, refetch } = useMonitor(id);
  return (
    <Stack gap="md">
      <BackLink href="/monitors">Monitors</BackLink>
      <PageHeader title={data?.name ?? 'Monitor'}>{data && <Buttons monitor={data} />}</PageHeader>
      {data && <Monitor monitor={data} />}
      {!data && error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h="24rem" role="status" aria-label="Loading" />}
    </Stack>
  );
}

function Buttons({ monitor: { id, name, state } }: { readonly monitor: MonitorRecord }) {
  const [, navigate] = useLocation();
  const { mutate, isPending, variables, error } = useAction(id);
  const deletion = useDeletion(id);
  const toggle = state === 'active' ? 'pause' : 'resume';
  return (
    <>
      <Button loading={isPending && variables === 'run'} onClick={() => mutate('run')}>
        Check now
      </Button>
      <Button variant="default" loading={isPending && variables === toggle} onClick={() => mutate(toggle)}>
        {state === 'active' ? 'Pause' : 'Resume'}
      </Button>
      <Button component={Link} variant="default" href={`/monitors/${id}/edit`}>
        Edit
      </Button>
      <ConfirmButton
        label="Delete"
        title="Delete this monitor?"
        onConfirm={() => deletion.mutateAsync().then(() => navigate('/monitors'))}
        isPending={deletion.isPending}
        error={deletion.error}
        onOpen={deletion.reset}
      >
        <Text className="breaks">
          {name} and all of its checks are deleted. Its captures stay until they expire.
        </Text>
      </ConfirmButton>
      {error && <ProblemAlert error={error} />}
    </>
  );
}

function Monitor({ monitor }: { readonly monitor: MonitorRecord }) {
  const { state, pause_reason: reason, next_run_at: next } = monitor;
  return (
    <>
      <Group gap="xs" role="status">
        <StatusBadge status={state} />
        <Text c="dimmed">
          {reason === null ? scheduleText(monitor) : PAUSES[reason]}
          {next !== null && (
            <>
              , next check <TimeText iso={next} />
            </>
          )}
        </Text>
      </Group>
      <Timeline monitor={monitor} />
      <MonitorFacts monitor={monitor} />
    </>
  );
}

function MonitorFacts({ monitor }: { readonly monitor: MonitorRecord }) {
  const { alert, keep, notify, schedule } = monitor;
  const receivers = notify.map((one) => `${one.type}: ${'to' in one ? one.to : one.url}`);
  const facts = [
    { label: 'Pages', value: pagesOf(monitor).map(({ url, number }) => <div key={number}>{url}</div>) },
    { label: 'Schedule', value: scheduleText(monitor) },
    { label: 'Next checks', value: 'cron' in schedule && <NextRuns schedule={schedule} /> },
    { label: 'Least change', value: alert.min_ratio === 0 ? 'any' : `${alert.min_ratio * 100} %` },
    { label: 'Captures that confirm', value: alert.confirm },
    { label: 'Does not count', value: alert.ignore_selectors.join(', ') },
    { label: 'Tells of', value: alert.on.join(', ') },
    { label: 'Webhook', value: monitor.webhook_url },
    { label: 'Tells', value: receivers.map((text) => <div key={text}>{text}</div>) },
    { label: 'Keeps files of', value: `${keep.changed} changes, ${keep.unchanged} other captures` },
    { label: 'Created', value: <TimeText iso={monitor.created_at} /> },
    { label: 'Id', value: monitor.id },
  ];
  return (
    <Panel
      title="Monitor"
      aside={
        <Anchor component={Link} href={`/webhooks?subject_id=${monitor.id}`}>
          Deliveries
        </Anchor>
      }
    >
      <Facts facts={facts.filter(({ value }) => value !== false && !isEmptyList(value))} />
    </Panel>
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
