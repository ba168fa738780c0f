import { Anchor, Group, Stack, Table, Text } from '@mantine/core';
import type { WorkerRecord } from '@capture-service/client';
import { Link } from 'wouter';
import { EmptyState } from '../../../ui/empty-state.js';
import { Facts } from '../../../ui/facts.js';
import { Meter } from '../../../ui/meter.js';
import { PageHeader } from '../../../ui/page-header.js';
import { Panel } from '../../../ui/panel.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import { TimeText } from '../../../ui/time-text.js';
import classes from '../admin.module.css';
import { DrainButton } from './drain-button.js';
import { Loaded } from './loaded.js';
import { useWorkers } from './operation-queries.js';

/** The workers that are alive: their slots, what they capture, and a way to drain each. */
export default function WorkersPage() {
  return (
    <>
      <PageHeader
        title="Workers"
        description="What captures pages. A worker that is drained can be stopped without losing a capture."
      />
      <Loaded query={useWorkers()}>
        {(workers) =>
          workers.length === 0 ? (
            <EmptyState title="No worker is alive">Captures wait until one starts.</EmptyState>
          ) : (
            <Stack gap="md">
              {workers.map((worker) => (
                <WorkerPanel key={worker.id} worker={worker} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </>
  );
}

/** The last part of an id tells workers apart, and its first one only when they started. */
const SHOWN_CHARACTERS = 12;

interface WorkerProps {
  readonly worker: WorkerRecord;
}

function WorkerPanel({ worker }: WorkerProps) {
  const { id, host, state } = worker;
  return (
    <Panel
      title={`${host} · ${id.slice(-SHOWN_CHARACTERS)}`}
      aside={
        <Group gap="xs">
          <StatusBadge status={state} />
          <DrainButton worker={worker} />
        </Group>
      }
    >
      <Stack gap="md">
        <Text c="dimmed">{TEXTS[state]}</Text>
        <Slots worker={worker} />
        <WorkerFacts worker={worker} />
        {worker.captures.length > 0 && <Captures worker={worker} />}
      </Stack>
    </Panel>
  );
}

const TEXTS: Readonly<Record<WorkerRecord['state'], string>> = {
  active: 'It takes captures.',
  draining: 'It takes no captures, and ends those that it has.',
  drained: 'It has ended its captures, and can be stopped.',
};

const LANES = { interactive: 'Synchronous', background: 'In the background' } as const;

function Slots({ worker: { busy, slots, lanes } }: WorkerProps) {
  const text = `${busy} of ${slots} slots`;
  return (
    <Stack gap={4} maw="30rem">
      <Group justify="space-between" gap="xs" className="numeric">
        <Text>{text}</Text>
        <Text c="dimmed">
          {lanes.map(({ lane, running, slots: most }) => `${LANES[lane]} ${running} of ${most}`).join(' · ')}
        </Text>
      </Group>
      <Meter label="Slots in use" value={busy} max={slots} text={text} />
    </Stack>
  );
}

const OUTAGES = {
  dns: 'no name server answers',
  store: 'the store takes no files',
} as const;

function WorkerFacts({ worker }: WorkerProps) {
  const { id, version, browser, healthy, slots, outages, started_at: startedAt, seen_at: seenAt } = worker;
  return (
    <Facts
      facts={[
        { label: 'Version', value: version ?? 'an earlier one' },
        { label: 'Browsers', value: `${healthy} of ${slots} run · ${browser}` },
        { label: 'Started', value: startedAt && <TimeText iso={startedAt} /> },
        { label: 'Seen', value: <TimeText iso={seenAt} /> },
        { label: 'Trouble', value: outages.map((outage) => OUTAGES[outage]).join(', ') },
        { label: 'Id', value: id },
      ]}
    />
  );
}

function Captures({ worker: { captures, host } }: WorkerProps) {
  return (
    <Table.ScrollContainer
      minWidth={480}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={`Captures of ${host}`}
    >
      <Table className={`numeric ${classes.table}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Host</Table.Th>
            <Table.Th scope="col">Account</Table.Th>
            <Table.Th scope="col">Kind</Table.Th>
            <Table.Th scope="col">Started</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {captures.map((capture) => (
            <Table.Tr key={capture.id}>
              <Table.Td className="breaks">{capture.host ?? 'HTML'}</Table.Td>
              <Table.Td className="breaks">
                <Anchor component={Link} href={`/admin/accounts/${capture.account_id}`}>
                  {capture.account}
                </Anchor>
              </Table.Td>
              <Table.Td>{LANES[capture.lane]}</Table.Td>
              <Table.Td>
                <TimeText iso={capture.started_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
