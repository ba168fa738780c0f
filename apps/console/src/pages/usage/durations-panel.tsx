import { Skeleton, Table, Text } from '@mantine/core';
import type { CaptureStats, Percentiles } from '@capture-service/client';
import { bytes, count, duration } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import type { DayRange } from './range.js';
import { useDurations } from './usage-queries.js';

interface DurationsPanelProps {
  readonly range: DayRange;
  readonly today: string;
}

/** How long captures took, in percentiles; those that were created in the range. */
export function DurationsPanel({ range, today }: DurationsPanelProps) {
  const { data, error } = useDurations(range, today);
  return (
    <Panel
      title="Durations"
      aside={data && <Text c="dimmed">{`${count(data.total)} captures, ${bytes(data.bytes)} of files`}</Text>}
    >
      {data && <Durations stats={data} />}
      {!data && error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={96} role="status" aria-label="Loading" />}
    </Panel>
  );
}

function Durations({ stats }: { readonly stats: CaptureStats }) {
  if (!stats.total_ms && !stats.queue_ms) return <Text c="dimmed">No capture ended on these days.</Text>;
  return (
    <Table className="numeric" layout="fixed" highlightOnHover={false}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col" w="34%">
            Time
          </Table.Th>
          <Table.Th scope="col" ta="right">
            p50
          </Table.Th>
          <Table.Th scope="col" ta="right">
            p95
          </Table.Th>
          <Table.Th scope="col" ta="right">
            p99
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        <DurationRow label="In the queue" of={stats.queue_ms} />
        <DurationRow label="In total" of={stats.total_ms} />
      </Table.Tbody>
    </Table>
  );
}

function DurationRow({ label, of }: { readonly label: string; readonly of: Percentiles | null }) {
  const values = [of?.p50, of?.p95, of?.p99];
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {label}
      </Table.Th>
      {values.map((value, i) => (
        <Table.Td key={i} ta="right">
          {value === undefined ? '–' : duration(value)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
