import { Group, Skeleton, Stack, Text } from '@mantine/core';
import type { ServiceStatus } from '@capture-service/client';
import { serverClock } from '../../api/server-clock.js';
import { duration, time } from '../../ui/format.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { useNow } from '../../ui/use-now.js';
import { ChecksPanel } from './checks-panel.js';
import { QueuePanel } from './queue-panel.js';
import classes from './status-page.module.css';
import { useStatus } from './status-query.js';
import { verdictOf } from './verdict.js';
import { VersionsPanel } from './versions-panel.js';
import { WorkersPanel } from './workers-panel.js';

const RENEWED_MS = 1_000;

/** How the service is: its dependencies, workers, queue and versions. */
export default function StatusPage() {
  const { data, error, dataUpdatedAt } = useStatus();
  const asOfMs = serverClock.serverTimeOf(dataUpdatedAt);
  const ageMs = Math.max(0, useNow(RENEWED_MS) - asOfMs);
  const verdict = verdictOf({ status: data?.health.status, error, ageMs });
  const isKnown = data !== undefined || error !== null;
  const isPast = verdict.status === 'no answer' || error !== null;
  return (
    <>
      <PageHeader title="Status" description="The whole service, refreshed every 2 s." />
      <Stack gap="md">
        <Group gap="xs" mih={24}>
          {isKnown && (
            <Group gap="xs" role="status">
              <StatusBadge status={verdict.status} />
              <Text fw={500}>{verdict.text}</Text>
            </Group>
          )}
          {data && (
            <Text c="dimmed" className="numeric">
              {isPast ? `Last known ${duration(ageMs)} ago, at ` : 'As of '}
              {time(new Date(asOfMs).toISOString())}
            </Text>
          )}
        </Group>
        {error && verdict.status === 'down' && <ProblemAlert error={error} />}
        {data ? (
          <Parts status={data} />
        ) : (
          <Skeleton h="32rem" role="status" aria-label="Loading" animate={error === null} />
        )}
      </Stack>
    </>
  );
}

function Parts({ status }: { readonly status: ServiceStatus }) {
  return (
    <>
      <ChecksPanel health={status.health} />
      <div className={classes.parts}>
        <Stack gap="md">
          <QueuePanel queue={status.queue} />
          <WorkersPanel workers={status.workers} />
        </Stack>
        <VersionsPanel version={status.version} />
      </div>
    </>
  );
}
