import { Table, Text } from '@mantine/core';
import { hasEnded, type BatchRecord } from '@capture-service/client';
import { Link } from 'wouter';
import { count, duration } from '../../ui/format.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TimeText } from '../../ui/time-text.js';
import { BatchBar } from './batch-bar.js';
import { ROW_STATUSES } from './batch-counts.js';
import classes from './batches.module.css';

/** Batches with how far they are, newest first. */
export function BatchTable({ batches }: { readonly batches: readonly BatchRecord[] }) {
  return (
    <Table className={classes.table} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={112}>Status</Table.Th>
          <Table.Th w={170} className={classes.created}>
            Created
          </Table.Th>
          <Table.Th>Progress</Table.Th>
          <Table.Th w={110} ta="right">
            Rows
          </Table.Th>
          <Table.Th w={130} ta="right" visibleFrom="sm">
            Time
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {batches.map((batch) => (
          <BatchRow key={batch.id} batch={batch} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function BatchRow({ batch }: { readonly batch: BatchRecord }) {
  return (
    <Table.Tr className="link-row">
      <Table.Td>
        <StatusBadge status={batch.status} />
      </Table.Td>
      <Table.Td className={classes.created}>
        <Link href={`/batches/${batch.id}`} className="row-link">
          <TimeText iso={batch.created_at} />
        </Link>
        {batch.retry_of !== null && (
          <Text size="xs" c="dimmed">
            retry of another batch
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <BatchBar batch={batch} />
        <Text size="xs" c="dimmed" mt={4} className="numeric">
          {countsText(batch)}
        </Text>
      </Table.Td>
      <Table.Td ta="right" className="numeric">
        {count(batch.total)}
      </Table.Td>
      <Table.Td ta="right" className="numeric" visibleFrom="sm">
        {timeText(batch)}
      </Table.Td>
    </Table.Tr>
  );
}

function countsText({ counts }: BatchRecord): string {
  return ROW_STATUSES.filter((status) => counts[status] > 0)
    .map((status) => `${count(counts[status])} ${status}`)
    .join(' · ');
}

function timeText(batch: BatchRecord): string {
  if (!hasEnded(batch)) return batch.eta_s === null ? '–' : `${duration(batch.eta_s * 1_000)} left`;
  if (batch.finished_at === null) return '–';
  return duration(Date.parse(batch.finished_at) - Date.parse(batch.created_at));
}
