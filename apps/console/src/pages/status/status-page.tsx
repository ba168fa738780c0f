import { Anchor, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import type { Health, ServiceStatus, ServiceVersion } from '@capture-service/client';
import { useQuery } from '@tanstack/react-query';
import { DOCS_URL, useApi } from '../../api/client.js';
import { serverClock } from '../../api/server-clock.js';
import { Facts, type Fact } from '../../ui/facts.js';
import { Figure } from '../../ui/figure.js';
import { count, duration, time } from '../../ui/format.js';
import { PageHeader } from '../../ui/page-header.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { useNow } from '../../ui/use-now.js';
import classes from './status-page.module.css';
import { verdictOf } from './verdict.js';
import { WorkersPanel } from './workers-panel.js';

const AGE_RENEWED_MS = 1_000;

/** How the service is: its dependencies, workers, queue and versions. */
export default function StatusPage() {
  const { data, error, dataUpdatedAt } = useStatus();
  const asOfMs = serverClock.serverTimeOf(dataUpdatedAt);
  const ageMs = Math.max(0, useNow(AGE_RENEWED_MS) - asOfMs);
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
  // A key without the scope `admin` sees its own captures in the queue, and that workers are alive, but not which.
  const seesAll = useApi().scopes.includes('admin');
  return (
    <>
      <ChecksPanel health={status.health} />
      <div className={classes.parts}>
        <Stack gap="md">
          <QueuePanel queue={status.queue} seesAll={seesAll} />
          {seesAll && <WorkersPanel workers={status.workers} />}
        </Stack>
        <VersionsPanel version={status.version} />
      </div>
    </>
  );
}

const RENEWED_MS = 2_000;
const TIMEOUT_MS = 5_000;

/** The status of the service. A failure is shown at once, and the next reading comes soon: nothing is repeated in between. */
function useStatus() {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: ['status', keyId],
    queryFn: ({ signal }) => client.status({ signal, retries: 0, timeoutMs: TIMEOUT_MS }),
    refetchInterval: RENEWED_MS,
    retry: false,
  });
}

const CHECKS: readonly { readonly name: keyof Health['checks']; readonly label: string }[] = [
  { name: 'database', label: 'Database' },
  { name: 'queue', label: 'Queue' },
  { name: 'storage', label: 'Storage' },
  { name: 'workers', label: 'Workers' },
];

/** What the service depends on, and how fast it answers. */
function ChecksPanel({ health: { checks } }: { readonly health: Health }) {
  return (
    <Panel title="Checks">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="lg">
        {CHECKS.map(({ name, label }) => {
          const { status, latency_ms: latencyMs, error } = checks[name];
          return (
            <Stack key={name} gap={2}>
              <Group gap="xs">
                <Text fw={500}>{label}</Text>
                <StatusBadge status={status} />
              </Group>
              <Text c="dimmed" className="numeric">
                answered in {duration(latencyMs)}
              </Text>
              {error !== null && <Text className="breaks">{error}</Text>}
            </Stack>
          );
        })}
      </SimpleGrid>
    </Panel>
  );
}

/** More than this is not counted exactly. */
const MAX_COUNTED = 100_000;

interface QueueProps {
  readonly queue: ServiceStatus['queue'];
  /** Whether they are those of all accounts, and not of this one. */
  readonly seesAll: boolean;
}

/** The captures that wait or run. */
function QueuePanel({ queue, seesAll }: QueueProps) {
  return (
    <Panel title="Queue" aside={<Text c="dimmed">{seesAll ? 'all accounts' : 'this account'}</Text>}>
      {queue === null ? (
        <Text>The queue is not known while the database is unavailable.</Text>
      ) : (
        <Stack gap="sm">
          <Group gap="xl">
            <Figure
              label="Waiting"
              value={`${count(queue.waiting)}${queue.waiting >= MAX_COUNTED ? '+' : ''}`}
            />
            <Figure label="Running" value={count(queue.active)} />
            <Figure
              label="Longest wait"
              value={queue.oldest_waiting_s === null ? '–' : duration(queue.oldest_waiting_s * 1_000)}
            />
          </Group>
          <Text size="xs" c="dimmed">
            {queue.waiting === 0
              ? 'No capture waits.'
              : 'Captures wait for a free slot of a worker or of their account.'}
          </Text>
        </Stack>
      )}
    </Panel>
  );
}

/** What runs, and where it is described. */
function VersionsPanel({ version }: { readonly version: ServiceVersion }) {
  const facts: readonly Fact[] = [
    { label: 'Service', value: version.version },
    { label: 'API', value: version.api_version },
    { label: 'Commit', value: version.commit ?? 'not known' },
    { label: 'Built', value: version.built_at === null ? 'not known' : time(version.built_at) },
    { label: 'Browser', value: version.browser ?? 'not known while no worker is alive' },
    { label: 'Node.js', value: version.node },
    {
      label: 'Filter lists',
      value: version.filter_lists?.map(({ name }) => name).join(', ') ?? 'not known while no worker is alive',
    },
  ];
  return (
    <Panel
      title="Versions"
      aside={
        <Group gap="md">
          <Anchor href={DOCS_URL} target="_blank" rel="noreferrer" fz="sm">
            API reference
          </Anchor>
          <Anchor href={`${DOCS_URL}/errors`} target="_blank" rel="noreferrer" fz="sm">
            Errors
          </Anchor>
        </Group>
      }
    >
      <Facts facts={facts} />
    </Panel>
  );
}
