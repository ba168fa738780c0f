import { Anchor, Group, Stack, Table, Text } from '@mantine/core';
import type { QueueOverview } from '@capture-service/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Figure } from '../../../ui/figure.js';
import { count, duration } from '../../../ui/format.js';
import { PageHeader } from '../../../ui/page-header.js';
import { Panel } from '../../../ui/panel.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import classes from '../admin.module.css';
import { Loaded } from './loaded.js';
import { useQueue } from './operation-queries.js';
import { UnfinishedBatches } from './unfinished-batches.js';

/** More than this is not counted. */
const MAX_COUNTED = 10_000;

/** What waits and runs by lane, account and host, and the batches that have not ended. */
export default function QueuePage() {
  return (
    <>
      <PageHeader
        title="Queue"
        description="What waits and runs of all accounts, refreshed every 5 s. Pause an account on its page."
      />
      <Loaded query={useQueue()}>{(queue) => <Parts queue={queue} />}</Loaded>
    </>
  );
}

interface QueueProps {
  readonly queue: QueueOverview;
}

const LANES = { interactive: 'Synchronous captures', background: 'In the background' } as const;

function Parts({ queue }: QueueProps) {
  return (
    <Stack gap="md">
      {queue.lanes.map(({ lane, ...load }) => (
        <Panel key={lane} title={LANES[lane]}>
          <Group gap="xl">
            <Figure label="Waiting" value={counted(load.waiting)} />
            <Figure label="Running" value={count(load.running)} />
            <Figure label="Longest wait" value={wait(load.oldest_waiting_s)} />
          </Group>
        </Panel>
      ))}
      <Panel title="By account" aside={<CutOff isCut={queue.truncated.includes('accounts')} />}>
        {queue.accounts.length === 0 ? <Text>No capture waits or runs.</Text> : <Accounts queue={queue} />}
      </Panel>
      <Panel title="By host" aside={<CutOff isCut={queue.truncated.includes('hosts')} />}>
        {queue.hosts.length === 0 ? <Text>No capture waits or runs.</Text> : <Hosts queue={queue} />}
      </Panel>
      <Panel title="Batches in progress" aside={<CutOff isCut={queue.truncated.includes('batches')} />}>
        <UnfinishedBatches batches={queue.batches} />
      </Panel>
    </Stack>
  );
}

function CutOff({ isCut }: { readonly isCut: boolean }) {
  return isCut ? <Text c="dimmed">the first 100</Text> : null;
}

function Accounts({ queue: { accounts } }: QueueProps) {
  return (
    <LoadTable
      label="Queue by account"
      first="Account"
      rows={accounts.map(({ account_id: id, account, state, ...load }) => ({
        key: id,
        name: (
          <Group gap="xs">
            <Anchor component={Link} href={`/admin/accounts/${id}`} className="breaks">
              {account}
            </Anchor>
            {state !== 'active' && <StatusBadge status={state} />}
          </Group>
        ),
        ...load,
      }))}
    />
  );
}

function Hosts({ queue: { hosts } }: QueueProps) {
  return (
    <Stack gap="xs">
      <LoadTable
        label="Queue by host"
        first="Host"
        rows={hosts.map(({ host, ...load }) => ({ key: host ?? '', name: host ?? 'HTML', ...load }))}
      />
      <Text size="xs" c="dimmed">
        What waits is counted in the first 50 captures of each batch, and of the single captures of each
        account.
      </Text>
    </Stack>
  );
}

interface TableProps {
  readonly label: string;
  readonly first: string;
  readonly rows: readonly {
    readonly key: string;
    readonly name: ReactNode;
    readonly waiting: number;
    readonly running: number;
    readonly oldest_waiting_s: number | null;
  }[];
}

function LoadTable({ label, first, rows }: TableProps) {
  return (
    <Table.ScrollContainer minWidth={300} type="native" tabIndex={0} role="group" aria-label={label}>
      <Table className={`numeric ${classes.table}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{first}</Table.Th>
            <Table.Th scope="col" ta="right" w={90}>
              Waiting
            </Table.Th>
            <Table.Th scope="col" ta="right" w={90}>
              Running
            </Table.Th>
            <Table.Th scope="col" ta="right" w={120} visibleFrom="xs">
              Longest wait
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, name, waiting, running, oldest_waiting_s: oldestS }) => (
            <Table.Tr key={key}>
              <Table.Th scope="row" fw={400} className="breaks">
                {name}
              </Table.Th>
              <Table.Td ta="right">{counted(waiting)}</Table.Td>
              <Table.Td ta="right">{count(running)}</Table.Td>
              <Table.Td ta="right" visibleFrom="xs">
                {wait(oldestS)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function counted(waiting: number): string {
  return `${count(waiting)}${waiting >= MAX_COUNTED ? '+' : ''}`;
}

function wait(seconds: number | null): string {
  return seconds === null ? '–' : duration(seconds * 1_000);
}
